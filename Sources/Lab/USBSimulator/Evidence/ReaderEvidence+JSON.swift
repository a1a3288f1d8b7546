public import Documents
internal import JSON
internal import Octets

// The most lines of a recording, and the most commands: more than a payment of two taps has.
private let maximumLineCount = 5_000
private let maximumCommandCount = 200

extension ReaderEvidence {
  /// The object `evidence` of a document.
  var json: JSONValue {
    JSONValue(members: [
      ("format", JSONValue(Self.format)), ("version", JSONValue(Self.version)), ("date", JSONValue(date)),
      ("program", JSONValue(program)), ("place", JSONValue(place)),
      ("drivers", JSONValue(members: drivers.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })),
      ("descriptors", descriptors.isEmpty ? nil : JSONValue(descriptors.hex)),
      ("firmware", firmware.map { JSONValue($0) }), ("card", card?.json),
      ("results", JSONValue(results.map(\.json))), ("commands", JSONValue(commands.map(\.json))),
      ("recording", recording.isEmpty ? nil : JSONValue(recording.map { JSONValue($0) })),
    ])
  }

  /// The evidence in a file, also in one of a reader that is no device; nil for a file of another kind.
  ///
  /// - Throws: `DocumentError` with every problem of the evidence and its place.
  public static func evidence(in octets: [UInt8]) throws(DocumentError) -> ReaderEvidence? {
    guard let document = try? JSONValue(parsing: octets), let object = document["evidence"], object.members != nil
    else { return nil }
    var reader = ObjectReader(object, at: "$.evidence")
    let evidence = ReaderEvidence(reading: &reader)
    let problems = reader.finish()
    guard problems.isEmpty else { throw DocumentError(problems) }
    return evidence
  }

  /// The median of the times of a command in microseconds, by its header and the lengths of command and response; nil for a
  /// command that was not measured.
  public func medianTime(of command: [UInt8], responseCount: Int) -> Int? {
    let measured = commands.filter {
      $0.header == Array(command.prefix(4)) && $0.commandCount == command.count && $0.responseCount == responseCount
    }
    let times = measured.flatMap(\.microseconds).sorted()
    return times.isEmpty ? nil : times[times.count / 2]
  }

  /// Reads the object `evidence` of a document. The reader notes every problem.
  init(reading reader: inout ObjectReader) {
    let format = reader.text("format")
    if format != Self.format, reader.has("format") {
      reader.refuse("format", "\"\(format.prefix(40))\" is not \(Self.format)")
    }
    _ = reader.integer("version", in: Self.version...Self.version)
    self.init(
      date: reader.text("date", characters: 10...10), program: reader.text("program", characters: 1...80),
      place: reader.choice("place", of: ["pcsc", "nfc", "acr122"].map { ($0, $0) }),
      drivers: reader.object("drivers") { $0.texts })
    if CalendarTime(date) == nil { reader.note("date", "a date such as 2026-01-31 is needed") }
    descriptors = reader.octets("descriptors") ?? []
    firmware = reader.optionalText("firmware", characters: 1...80)
    card = reader.optionalObject("card", Card.init(reading:))
    results = reader.objects("results", StepResult.init(reading:))
    for (index, result) in results.enumerated() where results[..<index].contains(where: { $0.step == result.step }) {
      reader.note("results[\(index)].step", "\(result.step.rawValue) is there twice")
    }
    commands = reader.objects("commands", Command.init(reading:))
    if commands.count > maximumCommandCount { reader.note("commands", "the limit is \(maximumCommandCount) commands") }
    recording = reader.optionalTexts("recording") ?? []
    if recording.count > maximumLineCount { reader.note("recording", "the limit is \(maximumLineCount) lines") }
  }
}

extension ReaderEvidence.StepResult {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("step", JSONValue(step.rawValue)), ("verdict", JSONValue(verdict.rawValue)), ("detail", JSONValue(detail)),
      ("error", error.map { JSONValue($0) }),
    ])
  }

  fileprivate init(reading reader: inout ObjectReader) {
    self.init(
      reader.choice("step", of: EvidenceStep.allCases.map { ($0.rawValue, $0) }),
      reader.choice("verdict", of: ReaderEvidence.Verdict.allCases.map { ($0.rawValue, $0) }),
      reader.text("detail", characters: 1...2_000), error: reader.optionalText("error", characters: 1...80))
  }
}

extension ReaderEvidence.Card {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("type", type.map { JSONValue($0) }), ("answerToReset", JSONValue(answerToReset.hex)),
      ("answerToSelect", answerToSelect.map { JSONValue($0.hex) }),
      ("identifierLength", identifierCount.map { JSONValue($0) }),
    ])
  }

  fileprivate init(reading reader: inout ObjectReader) {
    self.init(
      type: reader.optionalChoice("type", of: [("A", "A"), ("B", "B")]),
      answerToReset: reader.octets("answerToReset", isRequired: true) ?? [],
      answerToSelect: reader.octets("answerToSelect"),
      identifierCount: reader.optionalInteger("identifierLength", in: 0...64))
  }
}

extension ReaderEvidence.Command {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("header", JSONValue(header.hex)), ("command", JSONValue(commandCount)), ("response", JSONValue(responseCount)),
      ("microseconds", JSONValue(microseconds.map { JSONValue($0) })),
    ])
  }

  fileprivate init(reading reader: inout ObjectReader) {
    let header = reader.octets("header", isRequired: true) ?? []
    if header.count != 4 { reader.note("header", "4 bytes are needed") }
    self.init(
      header: header, commandCount: reader.integer("command", in: 1...65_544),
      responseCount: reader.integer("response", in: 2...65_538),
      microseconds: reader.list("microseconds") { value, place, reader in
        guard let time = value.integer, time >= 0 else {
          reader.refuse(value, at: place, needed: "a number of microseconds")
          return nil
        }
        return time
      })
    if !(1...Self.maximumSampleCount).contains(microseconds.count) {
      reader.note("microseconds", "1 to \(Self.maximumSampleCount) times are needed")
    }
  }
}

extension ObjectReader {
  /// All members, which are texts.
  fileprivate var texts: [String: String] {
    mutating get {
      let members = members()
      return Dictionary(members.map { ($0.key, text($0.key, characters: 1...80)) }) { first, _ in first }
    }
  }

  /// The bytes of a text of hexadecimal digits; nil where it is missing or wrong.
  fileprivate mutating func octets(_ key: String, isRequired: Bool = false) -> [UInt8]? {
    guard let text = optionalText(key, characters: 0...65_536, isRequired: isRequired) else { return nil }
    if let octets = try? [UInt8](hex: text) { return octets }
    note(key, "hexadecimal digits are needed")
    return nil
  }
}
