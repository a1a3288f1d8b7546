internal import EMVData
public import ISO7816
internal import Octets

extension DecodedNode {
  /// Decodes the value of one data element.
  ///
  /// - Parameters:
  ///   - octets: The value, without tag and length.
  ///   - application: The application that defines the tag; nil for the definition of the EMV books.
  ///   - unmasked: Whether account numbers, track data and names are shown.
  public init(value octets: [UInt8], of tag: Tag, application: AID? = nil, unmasked: Bool = false) {
    let style = DecodedStyle(
      unmasked: unmasked, application: application, hiding: HiddenData(Self.data(octets, of: tag, application)))
    let objects = DecodedObjects(octets: octets, style: style)
    let whole = 0..<octets.count
    guard !tag.isConstructed else {
      self.init(
        .object, style.label(tag), tag: tag, range: whole, content: whole, children: objects.objects(in: whole))
      return
    }
    self = objects.leaf(tag, whole, whole)
    let element = DataElement.named(tag, kernel: application.flatMap(ContactlessKernel.init))
    if let lengths = element?.lengths, !lengths.contains(octets.count) {
      let needed = lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
      children.append(
        DecodedNode(.fault, "wrong length", "\(octets.count.bytes), and the element has \(needed)", range: whole))
    }
  }

  private static func data(_ octets: [UInt8], of tag: Tag, _ application: AID?) -> CardholderData {
    let objects = DecodedObjects(octets: octets, style: DecodedStyle(.none, application: application))
    let whole = 0..<octets.count
    let node =
      tag.isConstructed
      ? DecodedNode(.group, "", range: whole, children: objects.objects(in: whole)) : objects.leaf(tag, whole, whole)
    return CardholderData(
      in: octets, as: node, from: .response, kernel: application.flatMap(ContactlessKernel.init))
  }

  /// Decodes a status word.
  public init(status: StatusWord) {
    self.init(.field, "SW", "\(status) \(status.text)", range: 0..<2)
  }

  /// Decodes a merchant category code (ISO 18245), 0 to 9999.
  public init(merchantCategory code: Int) {
    let digits = String(repeating: "0", count: max(0, 4 - String(code).count)) + String(code)
    let name = MerchantCategory.name(code: code) ?? "not a category of ISO 18245"
    self.init(.field, "MCC", "\(digits) \(name)", range: 0..<2)
  }
}
