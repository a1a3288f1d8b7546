import DeviceAuthentication
import LinuxDevice
import TestSupport
import Testing

/// The matcher of libfprint on pictures, as with a reader that sends pictures.
@Suite("The fingerprint matcher", .blocks, .timeLimit(.minutes(20)))
struct MatcherTests {
  @Test func `a genuine print matches, also as the second finger, and a foreign one does not`() async throws {
    let stage = try FingerprintStage(.picturing)
    let (right, left, foreign) = (SyntheticFinger(seed: 1), SyntheticFinger(seed: 2), SyntheticFinger(seed: 3))
    try stage.enrol("right-index-finger", pictures: { right.impression(UInt64($0)) })
    try stage.enrol("left-index-finger", pictures: { left.impression(UInt64($0)) })
    let reader = stage.makeReader()
    #expect(try await reader.enrolment().state == .enrolled)
    for (picture, result) in [
      (right.impression(101), BiometricResult.matched), (left.impression(102), .matched),
      (foreign.impression(103), .notMatched), (foreign.impression(104), .notMatched),
      (right.impression(105), .matched),
    ] {
      let answer = reader.prompt()
      stage.awaitPrompt()
      try stage.send(picture)
      #expect(try await answer.value == result)
    }
  }
}
