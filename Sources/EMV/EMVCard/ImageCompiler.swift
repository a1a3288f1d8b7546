internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// Compiles a profile into the parts of an image. Every check of a profile happens here or in `ApplicationCompiler`.
struct ImageCompiler {
  /// The longest name, in characters.
  static let maximumNameLength = 64
  // Together these keep the arena below 65536 octets, which its two-octet offsets can reach.
  /// The most applications one digital card can have.
  static let maximumApplications = 4
  /// The most records of an application.
  static let maximumRecords = 32
  /// The most data objects for GET DATA of an application.
  static let maximumDataObjects = 16

  struct Output {
    var directoryName = ArenaSlice.none
    var directory = ArenaSlice.none
    var images: [ApplicationImage] = []
    var applications: [CardImage.Application] = []
  }

  var octets: [UInt8] = []

  /// - Parameter problems: What reading the profile has found already.
  mutating func compile(
    _ profile: CardProfile, _ problems: [CardProfileError.Problem]
  ) throws(CardProfileError) -> Output {
    var reader = ProfileReader(problems)
    if profile.format != CardProfile.format {
      reader.report("format", "\"\(profile.format.prefix(40))\": this engine reads \"\(CardProfile.format)\"")
    }
    if !(1...Self.maximumNameLength).contains(profile.name.count) {
      reader.report("name", "\(profile.name.count) characters: the range is 1...\(Self.maximumNameLength)")
    }
    let count = profile.applications.count
    if !(1...Self.maximumApplications).contains(count) {
      reader.report("applications", "\(count) applications: the range is 1...\(Self.maximumApplications)")
    }
    let parsed = profile.applications.enumerated().map {
      ApplicationCompiler(profile: $0.element, path: "applications[\($0.offset)]", reader: &reader)
    }
    reportRepeatedNames(parsed, &reader)
    let directory = Self.directory(parsed)
    if directory.count > shortResponseCapacity {
      reader.report("applications", "the directory has \(directory.count - 2) octets: the limit is 256")
    }
    _ = FaultPlan.rules(profile.faults ?? [], &reader)
    try reader.finish()
    var output = Output()
    output.directoryName = place(FileControlInformation.ppseName)
    output.directory = place(directory)
    var firstKey = 0
    for application in parsed {
      guard let facts = application.facts else { preconditionFailure("a checked application has its facts") }
      output.images.append(application.place(in: &self, firstKey: firstKey))
      output.applications.append(facts)
      firstKey += facts.keyRoles.count
    }
    return output
  }

  /// Puts octets into the arena.
  mutating func place(_ run: [UInt8]) -> ArenaSlice {
    defer { octets += run }
    return ArenaSlice(offset: octets.count, count: run.count)
  }

  private func reportRepeatedNames(_ parsed: [ApplicationCompiler], _ reader: inout ProfileReader) {
    for (index, application) in parsed.enumerated() where !application.aid.isEmpty {
      if parsed[..<index].contains(where: { $0.aid == application.aid }) {
        reader.report("applications[\(index)].aid", "\(application.aid.hex) stands more than once")
      }
    }
  }

  /// The PPSE's FCI, ordered by priority (EMV Contactless Book B, table 3-2), and status word.
  private static func directory(_ parsed: [ApplicationCompiler]) -> [UInt8] {
    let ordered = parsed.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    let entries = ordered.map { TLVNode(.applicationTemplate, $0.element.directoryEntry) }
    let fci = TLVNode(
      .fciTemplate,
      [
        TLVNode(.dfName, FileControlInformation.ppseName),
        TLVNode(.fciProprietaryTemplate, [TLVNode(.fciIssuerDiscretionaryData, entries)]),
      ])
    return ResponseAPDU(data: fci.encoded).encoded
  }
}
