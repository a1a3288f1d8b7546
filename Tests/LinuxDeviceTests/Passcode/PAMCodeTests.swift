import DeviceAuthentication
import LinuxDevice
import Testing

/// The results of PAM.
struct PAMCodeTests {
  @Test(
    arguments: [
      (0, true, PasscodeResult.matched), (12, true, .matched), (7, true, .notMatched), (7, false, .lockedOut),
      (11, true, .lockedOut), (11, false, .lockedOut), (6, true, .notMatched), (6, false, .lockedOut),
      (13, true, .lockedOut),
    ] as [(Int32, Bool, PasscodeResult)])
  func `a code that concerns the person is a result`(_ code: Int32, _ wasAsked: Bool, _ result: PasscodeResult) throws {
    #expect(try PAMCode(rawValue: code).result(wasAsked: wasAsked, text: "t") == result)
  }

  @Test func `every other code is an error of the set-up, never a match`() {
    for code in Set(-2...300 as ClosedRange<Int32>).subtracting([0, 6, 7, 11, 12, 13]) {
      #expect(throws: DeviceAuthenticationError.self) {
        try PAMCode(rawValue: code).result(wasAsked: true, text: "Module is unknown")
      }
    }
  }
}
