import EMVCryptography
import EMVTerminal
import ISO7816
import Testing

/// What a recording holds of offline data authentication.
@Suite struct FindingsTests {
  @Test(arguments: [
    AuthenticationFailure.notSupported, .missing(0x9F4B), .unknownAuthority(index: 0xEF), .length(.issuerCertificate),
    .hash(.cardCertificate), .expired(.staticData), .header(.dynamicData), .revoked, .staticData, .relayData,
  ])
  func `a verdict is read as it was written`(_ failure: AuthenticationFailure) {
    let verdict = PaymentOutcome.DataAuthentication.failed(failure)
    #expect(PaymentOutcome.DataAuthentication(recorded: verdict.recorded) == verdict, "\(verdict.recorded)")
  }

  @Test(arguments: ["", "failed", "failed hash", "failed hash 95", "failed missing", "passed revoked", "failed 9F46"])
  func `a text that no terminal writes is no verdict`(_ text: String) {
    #expect(PaymentOutcome.DataAuthentication(recorded: text) == nil)
  }
}

extension FindingsTests {
  @Test(arguments: [
    ("unknown", TerminalLog.Entry()), ("last 1234", .init(lastAmount: 1234)), (" excepted", .init(isExcepted: true)),
    ("excepted last 0", .init(lastAmount: 0, isExcepted: true)),
  ])
  func `an entry of the log is read as it was written`(_ text: String, _ entry: TerminalLog.Entry) {
    #expect(TerminalLog.Entry(recorded: text) == entry)
    #expect(text.hasSuffix(entry.recorded))
  }

  @Test(arguments: ["", "last", "1234", "last -1", "last 1234 excepted", "last 99999999999999999999", "known"])
  func `a text that no terminal writes is no entry of the log`(_ text: String) {
    #expect(TerminalLog.Entry(recorded: text) == nil)
  }
}
