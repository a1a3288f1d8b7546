internal import EMVData
internal import ISO7816
internal import Octets

/// The answer to GET PROCESSING OPTIONS of a kernel that asks for its cryptogram later: tags 82 and 94 in format 1 or 2
/// (EMV 4.4 Book 3, 6.5.8.4).
struct PlainOptions {
  let response: [UInt8]
  private let format: Int
  private let further: [TLVNode]
  private let isMobileVerified: Bool

  /// Tag 9F71 (EMV Contactless Book C-4, 11.2.3): performed, not required by the terminal, successful.
  static let mobileResults: [UInt8] = [0x01, 0x00, 0x02]
  private static let mobileResultsTag: Tag = 0x9F71

  /// - Parameter isMobileVerified: Whether the card gives tag 9F71. It gives its options only when it is armed then.
  init(
    interchangeProfile: [UInt8], locator: ApplicationFileLocator, format: Int, further: [TLVNode],
    isMobileVerified: Bool
  ) {
    self.format = format
    self.further = further
    self.isMobileVerified = isMobileVerified
    guard format == 2 else {
      let data = TLVNode(.responseFormat1, interchangeProfile + locator.encoded)
      response = ResponseAPDU(data: data.encoded).encoded
      return
    }
    let own = [
      TLVNode(.applicationInterchangeProfile, interchangeProfile), TLVNode(.applicationFileLocator, locator.encoded),
    ]
    let results = isMobileVerified ? [TLVNode(Self.mobileResultsTag, Self.mobileResults)] : []
    response = ResponseAPDU(data: TLVNode(.responseFormat2, own + results + further).encoded).encoded
  }

  func check(_ path: String, _ records: [CompiledRecord], _ reader: inout ProfileReader) {
    if format == 1, isMobileVerified {
      reader.report(path + ".optionsFormat", "1: tag 9F71 stands in format 2")
    } else if format == 1, !further.isEmpty {
      reader.report(path + ".processingOptions", "format 1 has room for tags 82 and 94 only")
    }
    let own: Set<Tag> = [
      .applicationInterchangeProfile, .applicationFileLocator, .issuerApplicationData, .cryptogramInformationData,
      .applicationTransactionCounter, .applicationCryptogram, KernelTwoTag.track1CVC3, KernelTwoTag.track2CVC3,
      KernelTwoTag.cardholderInteraction, Self.mobileResultsTag,
    ]
    let objects = further + records.flatMap(\.nodes)
    for tag in Set(objects.map(\.tag)).sorted() {
      if own.contains(tag) {
        reader.report(path + ".records", "tag \(tag) is the card's own to give")
      } else if objects.count(where: { $0.tag == tag }) > 1 {
        reader.report(path + ".records", "tag \(tag) comes more than once: terminals refuse that")
      }
    }
    if response.count > shortResponseCapacity {
      let count = response.count - 2
      reader.report(path + ".records", "the answer to GET PROCESSING OPTIONS has \(count) octets: the limit is 256")
    }
  }
}
