internal import ISO7816
internal import Octets

/// How values are put into words: masked or not, and after which scheme's dictionary.
struct DecodedStyle {
  let unmasked: Bool
  /// The selected application: kernel 2 gives some tags a meaning of its own.
  let application: AID?

  private var isKernel2: Bool { application?.rid == [0xA0, 0x00, 0x00, 0x00, 0x04] }

  /// The tag and its name.
  func label(_ tag: Tag) -> String {
    let name = (isKernel2 ? Self.kernel2Names[tag] : nil) ?? DataElement.named(tag)?.name
    return "\(tag) \(name ?? (tag.isConstructed ? "unknown template" : "unknown"))"
  }

  /// The value of a data object in words.
  func text(_ tag: Tag, _ value: [UInt8]) -> String {
    switch tag {
    case .pinData: return "(\(value.count.octets), never shown)"
    case .dfName, .adfName, .applicationIdentifier: return Self.named(value)
    case .track2Data where !unmasked:
      return Track2EquivalentData(value)?.accountNumber.masked ?? "(\(value.count.octets))"
    case .transactionTime: return Self.time(value) ?? value.hex
    default: break
    }
    guard DataElement.named(tag) != nil else { return text(value) }
    return DataElement.text(of: tag, value, unmasked: unmasked)
  }

  /// Octets in hexadecimal, unless an account number may be among them.
  func text(_ octets: [UInt8]) -> String {
    if !unmasked, AccountNumberSearch.mayHoldAccountNumber(octets) { return "(\(octets.count.octets))" }
    return octets.hex
  }

  /// What the value means.
  func details(_ tag: Tag, _ value: [UInt8]) -> [String] {
    let isList = isKernel2 ? tag == .cardAuthenticationRelatedData : false
    if isList || Self.lists.contains(tag) {
      let entries = (try? DataObjectList(parsing: value))?.entries ?? []
      return entries.map { "\(label($0.tag)), \($0.count.octets)" }
    }
    if isKernel2, Self.kernel2Names[tag] != nil { return [] }
    switch tag {
    case .cvmList: return VerificationMethodWords.list(value)
    case .cvmResults: return VerificationMethodWords.results(value)
    default: return DataElement.details(of: tag, value)
    }
  }

  private static func named(_ value: [UInt8]) -> String {
    guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return value.hex }
    return "\(value.hex) \"\(String(decoding: value, as: UTF8.self))\""
  }

  private static func time(_ value: [UInt8]) -> String? {
    guard value.count == 3, value.allSatisfy({ $0 >> 4 <= 9 && $0 & 0x0F <= 9 }) else { return nil }
    return value.map(\.hex).joined(separator: ":")
  }

  private static let lists: Set<Tag> = [.pdol, .cdol1, .cdol2, .ddol, .logFormat, 0x97]

  // Book C-2, annex A, where it differs from the other kernels.
  private static let kernel2Names: [Tag: String] = [
    0x9F50: "Offline Accumulator Balance", 0x9F5C: "DS Requested Operator ID",
    0x9F5D: "Application Capabilities Information", 0x9F5E: "Data Storage Identifier", 0x9F66: "PUNATC (Track 2)",
    0x9F69: "Unpredictable Number Data Object List (UDOL)", 0x9F6C: "Mag-stripe Application Version Number, card",
    0x9F6E: "Third Party Data", 0x9F7C: "Merchant Custom Data",
  ]
}

extension Int {
  /// The number with its noun.
  var octets: String { self == 1 ? "1 octet" : "\(self) octets" }
}

extension Tag {
  /// 99: transaction PIN data.
  static let pinData: Tag = 0x99
  /// 8E: CVM list.
  static let cvmList: Tag = 0x8E
  /// 9F6B: track 2 data (Book C-2).
  static let track2Data: Tag = 0x9F6B
  /// 9F49: dynamic data authentication data object list.
  static let ddol: Tag = 0x9F49
  /// 9F4D: log entry.
  static let logEntry: Tag = 0x9F4D
  /// 9F4F: log format.
  static let logFormat: Tag = 0x9F4F
}
