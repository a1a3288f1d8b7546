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
  /// Whether values whose application is unknown are also named as other schemes define their tags.
  var namesOtherReadings = false

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

  private func element(_ tag: Tag) -> DataElement? { DataElement.named(tag, application: application) }

  /// Whether a security domain defines the tag, of which the words of the kernels say nothing.
  private func isOfSecurityDomain(_ tag: Tag) -> Bool {
    application.map { SecurityDomain.isNamed(by: $0.octets) } == true
      && element(tag)?.name != DataElement.named(tag)?.name
  }

  /// The tag and its name.
  func label(_ tag: Tag) -> String {
    guard wording != .none else { return "" }
    let name = element(tag)?.name
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
    if !hidden.isEmpty, element(tag)?.isCardholderData != true {
      return Self.masked(value, hidden)
    }
    // The content of a kernel's own buffers and envelopes has no public definition.
    let isOpaque = tag.octetCount > 2 || DataElement.named(tag) == nil
    if element(tag) == nil
      || isOpaque && !AccountNumberSearch.suspectedNumbers(in: value).isEmpty
    {
      return text(value)
    }
    if hidesNumber(tag, value) { return Self.masked(value, []) }
    if isOfSecurityDomain(tag) { return value.hex }
    return DataElement.text(of: tag, value, unmasked: unmasked, kernel: kernel)
  }

  /// Whether a value is to be masked although its data element is not for account numbers.
  private func hidesNumber(_ tag: Tag, _ value: [UInt8]) -> Bool {
    guard !unmasked, let element = element(tag), !element.isCardholderData else {
      return false
    }
    return AccountNumberSearch.findsNumber(in: value, of: tag)
      || !element.allows(value) && !AccountNumberSearch.suspectedNumbers(in: value).isEmpty
  }

  // A malformed account number or track is what the reader of the text looks for: only long runs of digits are hidden.
  private static func malformed(_ value: [UInt8], _ hidden: Set<Int>) -> String {
    MaskedOctets(value, hiding: hidden, runsFrom: 8).text
  }

  /// Bytes in hexadecimal, with stars for what may be an account number.
  ///
  /// - Parameter hidden: The half bytes that belong to an account number or a name.
  func text(_ octets: [UInt8], hiding hidden: Set<Int> = []) -> String {
    guard wording != .none else { return "" }
    return unmasked ? octets.hex : Self.masked(octets, hidden)
  }

  /// Bytes in hexadecimal, with stars for account numbers and for some half bytes.
  static func masked(_ octets: [UInt8], _ hidden: Set<Int>) -> String { MaskedOctets(octets, hiding: hidden).text }

  /// The meaning of the value; empty where a part of it is hidden.
  func details(_ tag: Tag, _ value: [UInt8], hiding hidden: Set<Int> = []) -> [String] {
    guard wording != .none, hidden.isEmpty else { return [] }
    if !unmasked, element(tag)?.isCardholderData == true || hidesNumber(tag, value) {
      return []
    }
    if isOfSecurityDomain(tag) { return [] }
    return DataElement.details(of: tag, value, kernel: kernel) + otherReadings(tag, value)
  }

  private func otherReadings(_ tag: Tag, _ value: [UInt8]) -> [String] {
    guard namesOtherReadings, application == nil else { return [] }
    return DataElement.otherReadings(of: tag, value).map { kernel, element in
      let words = DataElement.details(of: tag, value, kernel: kernel)
      return "for \(kernel.name): \(element.name)" + (words.isEmpty ? "" : ", " + words.joined(separator: "; "))
    }
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
