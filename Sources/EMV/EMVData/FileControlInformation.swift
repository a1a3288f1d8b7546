public import ISO7816

/// The answer to SELECT: what the card says of an application or of the contactless directory
/// (EMV 4.4 Book 1, 11.3.4; EMV Contactless Book B, 3.3.2).
public struct FileControlInformation: Hashable, Sendable {
  /// Why octets are no FCI a terminal can use.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// No BER-TLV.
    case malformed(TLVError)
    /// A mandatory template or data element is missing, or another stands in its place.
    case missing(Tag)

    /// A sentence with the tag.
    public var description: String {
      switch self {
      case .malformed(let error): "the FCI is malformed: \(error)"
      case .missing(let tag): "the FCI lacks tag \(tag)"
      }
    }
  }

  /// 2PAY.SYS.DDF01: the name of the proximity payment system environment (PPSE).
  public static let ppseName = Array("2PAY.SYS.DDF01".utf8)

  /// Tag 84.
  public let dfName: [UInt8]
  /// The data objects of template A5, as they came.
  public let proprietary: [TLVNode]

  /// Reads the response data of SELECT.
  public init(parsing octets: [UInt8]) throws(Fault) {
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw .malformed(error) }
    guard let template = nodes.first, template.tag == .fciTemplate else { throw .missing(.fciTemplate) }
    guard let name = template.children.first(where: { $0.tag == .dfName }) else { throw .missing(.dfName) }
    guard let inner = template.children.first(where: { $0.tag == .fciProprietaryTemplate }) else {
      throw .missing(.fciProprietaryTemplate)
    }
    dfName = name.value
    proprietary = inner.children
  }

  /// Tag 50 as text, or nil.
  public var label: String? { text(.applicationLabel) }

  /// Tag 9F38, or nil when the application wants no data.
  public var pdol: [UInt8]? { proprietary.first { $0.tag == .pdol }?.value }

  /// The directory entries of a PPSE, templates 61 in BF0C; those without an ADF name are left out.
  public var directory: [DirectoryEntry] {
    let discretionary = proprietary.first { $0.tag == .fciIssuerDiscretionaryData }
    return (discretionary?.children ?? []).filter { $0.tag == .applicationTemplate }.compactMap(DirectoryEntry.init)
  }

  private func text(_ tag: Tag) -> String? {
    proprietary.first { $0.tag == tag }.map { String(decoding: $0.value, as: UTF8.self) }
  }
}

/// One application in a PPSE (EMV Contactless Book B, table 3-2).
public struct DirectoryEntry: Hashable, Sendable {
  /// Tag 4F: the full or partial AID to select.
  public let adfName: AID
  /// Tag 87, low four bits: 1 is the highest, 0 no priority.
  public let priority: UInt8
  /// Tag 9F2A: which kernel is wanted; empty when the entry does not say.
  public let kernelIdentifier: [UInt8]
  /// Tag 50 as text, or nil.
  public let label: String?

  init?(_ node: TLVNode) {
    guard let name = node.children.first(where: { $0.tag == .adfName }), let aid = AID(name.value) else { return nil }
    adfName = aid
    priority = (node.children.first { $0.tag == .applicationPriorityIndicator }?.value.first ?? 0) & 0x0F
    kernelIdentifier = node.children.first { $0.tag == .kernelIdentifier }?.value ?? []
    label = node.children.first { $0.tag == .applicationLabel }.map { String(decoding: $0.value, as: UTF8.self) }
  }
}
