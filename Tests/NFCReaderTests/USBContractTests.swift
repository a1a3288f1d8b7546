import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// The contract of a chip over both USB drivers of libnfc.
  struct USBContractTests {
    /// Rules that do not hold over libnfc's drivers for USB. After its time limit pn53x_usb leaves a late response in the
    /// reader, and later calls fail. Both drivers wait in steps of 200 ms, and a response after two steps was lost in one
    /// of two runs.
    static let unmet = [
      "a response after the timeout closes the channel",
      "a card that computes for 400 ms asks for more time and its response arrives",
    ]

    @Test(arguments: ChipContract<USBChips<SCL3711Row>>.terminal.filter { !unmet.contains($0.testDescription) })
    func `an SCL3711 as a terminal fulfils the contract of a chip`(rule: ChipContract<USBChips<SCL3711Row>>) throws {
      try rule.check()
    }

    @Test(arguments: ChipContract<USBChips<ACR122Row>>.terminal)
    func `an ACR122U as a terminal fulfils the contract of a chip`(rule: ChipContract<USBChips<ACR122Row>>) throws {
      try rule.check()
    }

    @Test(arguments: ChipContract<USBChips<SCL3711Row>>.card.filter { !unmet.contains($0.testDescription) })
    func `an ACR122U as a card fulfils the contract of a chip`(rule: ChipContract<USBChips<SCL3711Row>>) throws {
      try rule.check()
    }
  }
}
