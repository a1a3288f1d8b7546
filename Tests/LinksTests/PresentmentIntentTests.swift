import Links
import Octets
import Testing

@Suite struct PresentmentIntentTests {
  let clock = ManualClock(at: Instant(nanoseconds: 7))
  let intents: PresentmentIntents

  init() { intents = PresentmentIntents(clock: clock) }

  /// What acquiring throws now; an intent that was acquired ends at once.
  func refusal() -> PresentmentIntentError? {
    do throws(PresentmentIntentError) {
      _ = try intents.acquire()
      return nil
    } catch { return error }
  }

  @Test func `R47: an intent is valid at 14.9 s and invalid at 15.0 s`() throws {
    let intent = try intents.acquire()
    #expect(intent.isValid == true)
    clock.advance(by: .milliseconds(14_900))
    #expect(intent.isValid == true)
    clock.advance(by: .milliseconds(100))
    #expect(intent.isValid == false)
  }

  @Test func `R47: another one is refused until 15 s after the end of the former`() throws {
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
  func `R47: released early or let go of, the cool-down begins then`(isReleased: Bool) throws {
    do {
      let intent = try intents.acquire()
      clock.advance(by: .seconds(3))
      if isReleased { intent.release() }
    }
    #expect(refusal() == .coolingDown(.seconds(15)))
    clock.advance(by: .seconds(15))
    #expect(refusal() == nil)
  }

  @Test func `an intent that ended by itself ends no later one when it is let go of`() throws {
    var former: PresentmentIntent? = try intents.acquire()
    clock.advance(by: .seconds(30))
    let present = try intents.acquire()
    if former.take() != nil { clock.advance(by: .seconds(1)) }
    #expect(present.isValid == true)
    present.release()
  }
}
