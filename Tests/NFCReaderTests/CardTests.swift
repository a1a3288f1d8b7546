import Glibc
import Links
import NFCReader
import TestSupport
import Testing

extension LibNFCTests {
  /// libnfc as the card and as the terminal: two chips in one field, and two processes.
  struct CardTests {
    let children = ChildProcesses()

    @Test(arguments: ChipContract<SimulatedChips>.card)
    func `libnfc as a card fulfils the contract of a chip`(rule: ChipContract<SimulatedChips>) throws {
      try rule.check()
      #expect(children.haveEnded())
    }

    @Test(arguments: CardStage.allCases)
    func `a card whose tap-nfc is killed gets serviceUnavailable in every state, and the program continues`(
      stage: CardStage
    ) throws {
      let error = try ChipContract<SimulatedChips>.end(at: stage) { _ in
        for process in ChildProcesses.processes() { kill(process, SIGKILL) }
      }
      #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
      #expect(children.haveEnded())
      try ChipContract<SimulatedChips>.expectUsable()
    }
  }
}
