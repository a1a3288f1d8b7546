import CardEmulation
import Links
import Octets
import Testing

@Suite struct PresentmentIntentTests {
  let clock = ManualClock(at: Instant(nanoseconds: 7))
  let intents: PresentmentIntents

  init() { intents = PresentmentIntents(clock: clock) }

  /// The error of an acquisition; an acquired intent ends at once.
  func refusal() -> PresentmentIntentError? {
    do throws(PresentmentIntentError) {
      _ = try intents.acquire()
      return nil
    } catch { return error }
  }

  @Test func `an intent is valid at 14.9 s and invalid at 15.0 s`() throws {
    let intent = try intents.acquire()
    #expect(intent.isValid == true)
    clock.advance(by: .milliseconds(14_900))
    #expect(intent.isValid == true)
    clock.advance(by: .milliseconds(100))
    #expect(intent.isValid == false)
  }

  @Test func `an intent is refused until 15 s after the end of the one before`() throws {
    let intent = try intents.acquire()
    #expect(refusal() == .alreadyHeld(.seconds(15)))
    clock.advance(by: .seconds(15))
    #expect(refusal() == .coolingDown(.seconds(15)))
    clock.advance(by: .milliseconds(14_999))
    #expect(refusal() == .coolingDown(.milliseconds(1)))
    clock.advance(by: .milliseconds(1))
    #expect(refusal() == nil)
    #expect(intent.isValid == false)
  }

  @Test(arguments: [false, true])
  func `an intent that is released before 15 s starts the cool-down at that moment`(isReleased: Bool) throws {
    do {
      let intent = try intents.acquire()
      clock.advance(by: .seconds(3))
      if isReleased { intent.release() }
    }
    #expect(refusal() == .coolingDown(.seconds(15)))
    clock.advance(by: .seconds(15))
    #expect(refusal() == nil)
  }

  @Test func `releasing an expired intent does not end a later one`() throws {
    var previous: PresentmentIntent? = try intents.acquire()
    clock.advance(by: .seconds(30))
    let present = try intents.acquire()
    if previous.take() != nil { clock.advance(by: .seconds(1)) }
    #expect(present.isValid == true)
    present.release()
  }
}
