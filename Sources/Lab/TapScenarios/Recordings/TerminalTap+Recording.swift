internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance
public import Transcripts

extension Transcript.Key {
  /// The identifier of the scenario.
  public static let test: Self = "test"
  /// The number of the tap in its scenario.
  public static let tap: Self = "tap"
  /// Where the card was presented.
  public static let link: Self = "link"
  /// What the terminal showed.
  public static let shown: Self = "shown"
  /// What the person at the terminal wrote down.
  public static let comment: Self = "comment"
  /// The changes of the card that never applied.
  public static let missing: Self = "missing-changes"
  /// The capabilities of the terminal, as JSON on one line.
  public static let capabilities: Self = "capabilities"
}

extension TerminalTap {
  /// The recording with everything that a judgement of the tap needs; nil for a tap without a recording.
  func recording(of file: ScenarioFile, _ number: Int) -> Transcript? {
    guard var transcript, let test = file.scenario.terminalTest else { return nil }
    transcript[.test] = test.identity.id
    transcript[.tap] = String(number)
    transcript[.card] = file.testCard.map { String(decoding: $0.profile, as: UTF8.self) }
    transcript[.entered] = entered.sorted { $0.key.description < $1.key.description }.map { tag, values in
      "\(tag) \(values.map(\.hex).joined(separator: ","))"
    }.joined(separator: " ")
    transcript[.missing] = missingChanges.isEmpty ? nil : missingChanges.joined(separator: "; ")
    transcript[.shown] = shown?.rawValue
    transcript[.comment] = comment
    return transcript
  }

  /// The tap of a recording; nil for a recording of another scenario or tap, and of another card.
  public init?(_ transcript: Transcript, of file: ScenarioFile, _ number: Int) {
    guard let test = file.scenario.terminalTest, transcript[.test] == test.identity.id,
      transcript[.tap] == String(number),
      transcript[.card] == file.testCard.map({ String(decoding: $0.profile, as: UTF8.self) })
    else { return nil }
    self.init(exchanges: [Exchange](transcript), entered: Self.entered(transcript[.entered] ?? ""))
    shown = transcript[.shown].flatMap { TerminalExpectations.Shown(rawValue: $0) }
    comment = transcript[.comment]
    missingChanges = transcript[.missing].map { $0.split(separator: ";").map { String($0.drop { $0 == " " }) } } ?? []
    self.transcript = transcript
  }

  private static func entered(_ text: String) -> [Tag: [[UInt8]]] {
    let words = text.split(separator: " ").map(String.init)
    let pairs = stride(from: 0, to: words.count - words.count % 2, by: 2).compactMap { index -> (Tag, [[UInt8]])? in
      guard let tag = DataElement.tag(named: words[index]) else { return nil }
      return (tag, words[index + 1].split(separator: ",").compactMap { try? [UInt8](hex: $0) })
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
