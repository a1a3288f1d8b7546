import Glibc
import Links
import NFCReader
import TestSupport
import Testing

extension LibNFCTests {
  /// libnfc as the card, and libnfc as the terminal in front of it: two chips in one field, two processes.
  struct CardTests {
    let possessions = Possessions()

    @Test(arguments: ChipContract<SimulatedChips>.card)
    func contract(rule: ChipContract<SimulatedChips>) throws {
      try rule.check()
      #expect(possessions.areBack())
    }

    @Test(arguments: CardStage.allCases)
    func `libnfc's process is killed: a clear error in every state, and the engine goes on`(stage: CardStage) throws {
      let error = try ChipContract<SimulatedChips>.end(at: stage) { _ in
        for process in Possessions.processes() { kill(process, SIGKILL) }
      }
      #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
      #expect(possessions.areBack())
      try ChipContract<SimulatedChips>.expectUsable()
    }
  }
}
