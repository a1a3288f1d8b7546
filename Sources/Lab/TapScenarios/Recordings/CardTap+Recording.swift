public import Links
internal import Octets
public import Transcripts

extension Transcript.Key {
  /// `yes` in the recording of a card test in which data of the card are masked.
  public static let masked: Self = "masked"
}

extension Disclosure {
  /// The recording of a tap as it may be written. That of a card test has a mark when an exchange is masked: the card has
  /// not sent those bytes, so the tap cannot be judged by them.
  public func marked(_ transcript: Transcript) -> Transcript {
    var shown = shown(transcript)
    if transcript[.test] != nil, shown.exchanges != transcript.exchanges { shown[.masked] = "yes" }
    return shown
  }
}

extension Transcript {
  /// Checks that no data of the card are masked, so that a card test can be judged by the recording.
  ///
  /// - Parameter name: The name of the recording, for the error.
  /// - Throws: `ScenarioNotJudged` for a recording in which `tap test --record` has masked data of the card.
  public func checkUnmasked(_ name: String) throws(ScenarioNotJudged) {
    guard self[.masked] != nil else { return }
    throw ScenarioNotJudged("\(name) has masked data of the card: judge the card itself")
  }
}

extension CardTap {
  /// The recording with everything that a judgement of the tap needs; nil for a tap without a recording.
  ///
  /// - Parameter number: The number of the tap in its scenario, from 1.
  func recording(of test: CardTest, _ number: Int) -> Transcript? {
    guard var transcript else { return nil }
    transcript[.test] = test.identity.id
    transcript[.tap] = String(number)
    transcript[.random] = unpredictableNumber.hex
    return transcript
  }
}

extension CardVisit {
  /// Makes the steps of a recorded tap: the recording answers in place of the card, also after a `reset`, and each response
  /// takes its recorded time.
  ///
  /// - Parameter transcript: A recording that `tap test --record` has made of this scenario.
  /// - Throws: `LinkError.Code.recordingDiffers` for a recording of other steps.
  public static func tap(of test: CardTest, recorded transcript: Transcript) throws(LinkError) -> CardTap {
    let clock = ManualClock()
    let channel = ReplayChannel(transcript, moving: clock)
    let number = RecordedNumber(number: transcript[.random].flatMap { try? [UInt8](hex: $0) } ?? [])
    let visit = CardVisit(test, clock: clock, random: number) { clock.advance(by: $0) }
    var field = PoweredField(clock: clock) { (_) throws(LinkError) in ContinuedRecording(channel: channel) }
    let tap = try visit.tap(at: &field, timeout: .seconds(1))
    if let difference = channel.finish() { throw LinkError(.recordingDiffers, "\(difference)") }
    return tap
  }
}

/// The unpredictable number of a recorded tap.
private struct RecordedNumber: RandomSource {
  let number: [UInt8]

  func octets(_ count: Int) -> [UInt8] {
    Array((number + [UInt8](repeating: 0, count: count)).prefix(count))
  }
}

/// A recording that goes on after the field was off: the next channel continues where this one is closed.
private struct ContinuedRecording: CardChannel {
  let channel: ReplayChannel

  var identity: CardIdentity { channel.identity }

  func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    try channel.transmit(command, into: &response)
  }

  func close() {}
}
