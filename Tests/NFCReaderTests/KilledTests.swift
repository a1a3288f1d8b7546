import Foundation
import Glibc
import ISO7816
import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// The process that runs libnfc is killed at requests that are over in no time unless something holds them up.
  struct KilledTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let possessions = Possessions()

    /// Something that stops itself, and becomes the real program when it is told to go on. Another process writes it: a
    /// file that this one has open while it starts programs is busy, and cannot be started itself.
    private func hesitant(in directory: URL) throws -> String {
      let path = directory.appending(path: "tap-nfc").path
      let script = "#!/bin/sh\nkill -STOP $$\nexec \(NFCDevice.defaultProgram)\n"
      let writing = try ProgramRun(
        "sh",
        ["-c", "mkdir -p \"$1\" && printf '%s' \"$3\" > \"$2\" && chmod +x \"$2\"", "sh", directory.path, path, script])
      #expect(try writing.finish() == .exited(0), "\(writing.errors)")
      return path
    }

    private func stoppedProcess() throws -> pid_t {
      for _ in 0..<10_000 {
        if let process = Possessions.processes().first,
          let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
          status.split(separator: " ").dropFirst(2).first == "T"
        {
          return process
        }
        usleep(2_000)
      }
      throw Missing()
    }

    private struct Missing: Error {}

    @Test(arguments: [true, false])
    func `killed while it lists devices: one clear error, and the next list comes`(isKilled: Bool) throws {
      let directory = FileManager.default.temporaryDirectory.appending(path: "hesitant-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      let program = try hesitant(in: directory)
      let list = DedicatedThread(named: "list") { () -> LinkError? in
        linkError { () throws(LinkError) in _ = try NFCDevice.connstrings(program: program) }
      }
      let process = try stoppedProcess()
      kill(process, isKilled ? SIGKILL : SIGCONT)
      let error = list.join()
      #expect(error?.code == (isKilled ? .serviceUnavailable : nil), "\(error?.reason ?? "none")")
      if isKilled { #expect(error?.reason.contains("the process that runs libnfc has ended") == true) }
      #expect(possessions.areBack())
      #expect(linkError { () throws(LinkError) in _ = try NFCDevice.connstrings() } == nil)
    }

    @Test func `killed while the chip takes the card's response: one clear error, and the card can be presented again`()
      throws
    {
      do {
        let chips = try SimulatedChips(.pair)
        let isHeld = Flag()
        let port = try AlteredPort(chips.simulator.paths[1], code: 0x8F) { _ in
          isHeld.raise()
          return []
        }
        let journal = ResponderJournal()
        let card = serving(NFCLink(try NFCDevice(port.connstring)), ChannelContract.responder(journal: journal))
        let terminal = try chips.open()
        var channel = try terminal.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        while !isHeld.isRaised { usleep(1_000) }
        #expect(card.result == nil)
        for process in Possessions.processes() where try isHolding(port.path, process) { kill(process, SIGKILL) }
        let error = linkError { () throws(LinkError) in try card.join() }
        #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("open the reader again") == true)
        #expect(journal.entries == [.field(.powered), .command(Self.selection), .field(.lost)])
        channel.close()
        port.end()

        let link = NFCLink(try chips.open(1))
        let next = serving(link, ChannelContract.responder())
        var again = try terminal.channel()
        #expect(try again.send(Self.selection) == [0x6D, 0x00])
        link.stop()
        try next.join()
      }
      #expect(possessions.areBack())
    }

    private func isHolding(_ path: String, _ process: pid_t) throws -> Bool {
      let directory = "/proc/\(process)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: directory).contains { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")) == path
      }
    }
  }
}
