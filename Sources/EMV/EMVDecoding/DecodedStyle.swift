internal import EMVData
internal import ISO7816
internal import Octets

/// The style of decoded values: how they are worded, and the scheme whose dictionary applies.
struct DecodedStyle {
  /// How values are worded.
  enum Wording {
    /// Account numbers, track data and names are masked.
    case masked
    case unmasked
    /// Nodes have tags and places only: words cost most of the time of decoding.
    case none
  }

  let wording: Wording
  /// The selected application, or nil. Kernel 2 defines some tags differently.
  let application: AID?
  /// What the masked style hides in every value.
  let hidden: HiddenData

  init(_ wording: Wording, application: AID?, hiding hidden: HiddenData = HiddenData()) {
    self.wording = wording
    self.application = application
    self.hidden = hidden
  }

  /// The masked style, or on demand the unmasked one.
  init(unmasked: Bool, application: AID?, hiding hidden: HiddenData) {
    self.init(unmasked ? .unmasked : .masked, application: application, hiding: unmasked ? HiddenData() : hidden)
  }

  var unmasked: Bool { wording == .unmasked }

  private var kernel: ContactlessKernel? { application.flatMap(ContactlessKernel.init) }

  /// The tag and its name.
  func label(_ tag: Tag) -> String {
    guard wording != .none else { return "" }
    let name = DataElement.named(tag, kernel: kernel)?.name
    return "\(tag) \(name ?? (tag.isConstructed ? "unknown template" : "unknown"))"
  }

  private static let identifierTags: Set<Tag> = [.dfName, .adfName, .applicationIdentifier]

  /// The value of a data object in words.
  ///
  /// - Parameter hidden: The half bytes of the value that belong to an account number or a name.
  func text(_ tag: Tag, _ value: [UInt8], hiding hidden: Set<Int> = []) -> String {
    guard wording != .none else { return "" }
    switch tag {
    case .pinData: return "(\(value.count.bytes), never shown)"
    case _ where hidden.isEmpty && Self.identifierTags.contains(tag): return Self.named(value)
    case .primaryAccountNumber where !unmasked:
      return PrimaryAccountNumber(compressedNumeric: value)?.masked ?? Self.malformed(value, hidden)
    case .track2EquivalentData where !unmasked, .track2Data where !unmasked:
      return Track2EquivalentData(value)?.accountNumber.masked ?? Self.malformed(value, hidden)
    case .issuerScriptCommand where InstructionNames.carriesSecret(value): return "(\(value.count.bytes), never shown)"
    case .transactionTime where hidden.isEmpty: return Self.time(value) ?? value.hex
    default: break
    }
    if !hidden.isEmpty, DataElement.named(tag, kernel: kernel)?.isCardholderData != true {
      return Self.masked(value, hidden)
    }
    // The content of a kernel's own buffers and envelopes has no public definition.
    let isOpaque = tag.octetCount > 2 || DataElement.named(tag) == nil
    if DataElement.named(tag, kernel: kernel) == nil
      || isOpaque && !AccountNumberSearch.suspectedNumbers(in: value).isEmpty
    {
      return text(value)
    }
    if hidesNumber(tag, value) { return Self.masked(value, []) }
    return DataElement.text(of: tag, value, unmasked: unmasked, kernel: kernel)
  }

  /// Whether a value is to be masked although its data element is not for account numbers.
  private func hidesNumber(_ tag: Tag, _ value: [UInt8]) -> Bool {
    guard !unmasked, let element = DataElement.named(tag, kernel: kernel), !element.isCardholderData else {
      return false
    }
    return AccountNumberSearch.findsNumber(in: value, of: tag)
      || !element.allows(value) && !AccountNumberSearch.decimalRuns(in: value).isEmpty
  }

  // A malformed account number or track is what the reader of the text looks for: only long runs of digits are hidden.
  private static func malformed(_ value: [UInt8], _ hidden: Set<Int>) -> String {
    masked(value, hidden, minimum: 8)
  }

  /// Bytes in hexadecimal, with stars for long runs of digits when they may hold an account number.
  ///
  /// - Parameter hidden: The half bytes that belong to an account number or a name.
  func text(_ octets: [UInt8], hiding hidden: Set<Int> = []) -> String {
    guard wording != .none else { return "" }
    guard !unmasked, !hidden.isEmpty || !AccountNumberSearch.suspectedNumbers(in: octets).isEmpty else {
      return octets.hex
    }
    return Self.masked(octets, hidden)
  }

  /// Bytes in hexadecimal, with stars for long runs of digits, packed or as text, and for some half bytes.
  static func masked(
    _ octets: [UInt8], _ hidden: Set<Int>, minimum: Int = AccountNumberSearch.minimumDigits
  ) -> String {
    let written = AccountNumberSearch.writtenNumbers(in: octets)
    let places = hidden.union(written.isEmpty ? [] : KnownNumbers(written).places(in: octets).flatMap(\.digits))
    var digits = Array(AccountNumberSearch.masked(octets, minimum: minimum).utf8)
    for place in places { digits[place] = 0x2A }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The meaning of the value; empty where a part of it is hidden.
  func details(_ tag: Tag, _ value: [UInt8], hiding hidden: Set<Int> = []) -> [String] {
    guard wording != .none, hidden.isEmpty else { return [] }
    if !unmasked, DataElement.named(tag, kernel: kernel)?.isCardholderData == true || hidesNumber(tag, value) {
      return []
    }
    return DataElement.details(of: tag, value, kernel: kernel)
  }

  private static func named(_ value: [UInt8]) -> String {
    guard !value.isEmpty, value.isPrintable else { return value.hex }
    return "\(value.hex) \"\(String(decoding: value, as: UTF8.self))\""
  }

  private static func time(_ value: [UInt8]) -> String? {
    guard value.count == 3, value.allSatisfy({ $0 >> 4 <= 9 && $0 & 0x0F <= 9 }) else { return nil }
    return value.map(\.hex).joined(separator: ":")
  }
}

extension Tag {
  /// 86: issuer script command.
  static let issuerScriptCommand: Tag = 0x86
  /// 99: transaction PIN data.
  static let pinData: Tag = 0x99
  /// 9F49: dynamic data authentication data object list.
  static let ddol: Tag = 0x9F49
  /// 9F4D: log entry.
  static let logEntry: Tag = 0x9F4D
  /// 9F4F: log format.
  static let logFormat: Tag = 0x9F4F
}
