import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Testing

/// American Express phones that were not unlocked, at a terminal that tries the payment again.
@Suite("A phone of kernel 4 at a reader") struct Kernel4RestartTests {
  private static func locked() -> ScriptedField.Tap {
    let directory = TLVNode(
      0x6F,
      [
        TLVNode(0x84, FileControlInformation.ppseName),
        TLVNode(
          0xA5,
          [
            TLVNode(
              0xBF0C,
              [TLVNode(0x61, [TLVNode(0x4F, Script.hex("A00000002501")), TLVNode(0x87, [1]), TLVNode(0x9F2A, [4])])])
          ]),
      ])
    let application = TLVNode(
      0x6F, [TLVNode(0x84, Script.hex("A00000002501")), TLVNode(0xA5, [TLVNode(0x9F38, Script.hex("9F6E049F3501"))])])
    let words = [directory.encoded + [0x90, 0x00], application.encoded + [0x90, 0x00], Script.status(0x6984)]
    return .card(words.map { .octets($0) })
  }

  @Test func `6984 twice shows see phone once, waits, and then ends the application`() throws {
    let clock = ManualClock()
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/all-kernels.json"))
    let request = try Script.request(configuration)
    let terminal = PaymentAcceptance(
      configuration: configuration, host: FixedHost(), clock: clock, random: SeededRandomSource(seed: 1),
      restarts: RestartLimits(count: 5))
    var field = ScriptedField([Self.locked(), Self.locked(), Self.locked()], clock: clock)
    let receipt = try terminal.accept(request, at: &field)
    #expect(receipt.outcome.kind == .endApplication)
    #expect(receipt.restarts.map(\.kind) == [.seePhone] && receipt.restarts.map(\.message) == [.seePhone])
    #expect(field.holds == [.zero, .milliseconds(1300)] && field.taps.count == 1)
    #expect(receipt.failures.map(\.code) == [.status(.referencedDataInvalidated), .holderNotVerifiedTwice])
  }
}
