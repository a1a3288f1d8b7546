public import ISO7816

/// File control information (FCI): the response to SELECT of an application or of the contactless directory (PPSE)
/// (EMV 4.4 Book 1, 11.3.4; EMV Contactless Book B, 3.3.2).
public struct FileControlInformation: Hashable, Sendable {
  /// The reason why bytes are not an FCI that a terminal can use.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes are not well-formed BER-TLV.
    case malformed(TLVError)
    /// A mandatory template or data element is missing, or has another tag.
    case missing(Tag)
    /// A data object that the FCI has once occurs again, so its value is ambiguous.
    case duplicate(Tag)

    /// A sentence with the tag.
    public var description: String {
      switch self {
      case .malformed(let error): "the FCI is malformed: \(error)"
      case .missing(let tag): "tag \(tag) is missing in the FCI"
      case .duplicate(let tag): "tag \(tag) occurs more than once in the FCI"
      }
    }
  }

  /// 2PAY.SYS.DDF01: the name of the proximity payment system environment (PPSE).
  public static let ppseName = Array("2PAY.SYS.DDF01".utf8)

  /// Tag 84: the name of the selected application or of the directory.
  public let dfName: [UInt8]
  /// The data objects of template A5, in the order of the response.
  public let proprietary: [TLVNode]

  /// Reads the response data of SELECT, without the status word.
  ///
  /// Tags 84 and 9F38 and templates A5 and BF0C occur at most once. Other data objects may be repeated; the first
  /// one counts.
  ///
  /// - Throws: `Fault` for bytes that are malformed, for a missing tag 6F, 84 or A5, and for a duplicate.
  public init(parsing octets: [UInt8]) throws(Fault) {
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw .malformed(error) }
    guard let template = nodes.first, template.tag == .fciTemplate else { throw .missing(.fciTemplate) }
    guard let name = try Self.only(.dfName, of: template.children) else { throw .missing(.dfName) }
    guard let inner = try Self.only(.fciProprietaryTemplate, of: template.children) else {
      throw .missing(.fciProprietaryTemplate)
    }
    _ = try Self.only(.pdol, of: inner.children)
    _ = try Self.only(.fciIssuerDiscretionaryData, of: inner.children)
    dfName = name.value
    proprietary = inner.children
  }

  private static func only(_ tag: Tag, of nodes: [TLVNode]) throws(Fault) -> TLVNode? {
    let found = nodes.filter { $0.tag == tag }
    guard found.count < 2 else { throw .duplicate(tag) }
    return found.first
  }

  /// Tag 50 as text, or nil.
  public var label: String? { text(.applicationLabel) }

  /// Tag 9F38, or nil when the application requires no data.
  public var pdol: [UInt8]? { proprietary.first { $0.tag == .pdol }?.value }

  /// The directory entries of a PPSE: templates 61 in BF0C. Entries without an ADF name are left out.
  public var directory: [DirectoryEntry] {
    let discretionary = proprietary.first { $0.tag == .fciIssuerDiscretionaryData }
    return (discretionary?.children ?? []).filter { $0.tag == .applicationTemplate }.compactMap(DirectoryEntry.init)
  }

  private func text(_ tag: Tag) -> String? {
    proprietary.first { $0.tag == tag }.map { String(decoding: $0.value, as: UTF8.self) }
  }
}

extension FileControlInformation {
  /// One application in a PPSE (EMV Contactless Book B, table 3-2).
  public struct DirectoryEntry: Hashable, Sendable {
    /// Tag 4F: the full or partial AID to select.
    public let adfName: AID
    /// Tag 87, low four bits: 1 is the highest priority; 0 is no priority.
    public let priority: UInt8
    /// Tag 9F2A: the kernel that the card asks for; empty when the entry has no such tag.
    public let kernelIdentifier: [UInt8]
    /// Tag 9F29: what may follow tag 4F in the name to select; empty when the entry has no such tag.
    public let extendedSelection: [UInt8]
    /// Tag 50 as text, or nil.
    public let label: String?

    init?(_ node: TLVNode) {
      guard let name = node.children.first(where: { $0.tag == .adfName }), let aid = AID(name.value) else { return nil }
      adfName = aid
      priority = (node.children.first { $0.tag == .applicationPriorityIndicator }?.value.first ?? 0) & 0x0F
      kernelIdentifier = node.children.first { $0.tag == .kernelIdentifier }?.value ?? []
      extendedSelection = node.children.first { $0.tag == 0x9F29 }?.value ?? []
      label = node.children.first { $0.tag == .applicationLabel }.map { String(decoding: $0.value, as: UTF8.self) }
    }
  }
}
