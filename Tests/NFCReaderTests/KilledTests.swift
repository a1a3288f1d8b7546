import Foundation
import Glibc
import ISO7816
import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// tap-nfc is killed during requests that are too short to hit without a delay.
  struct KilledTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let children = ChildProcesses()

    private func stoppedProcess() throws -> pid_t {
      for _ in 0..<10_000 {
        if let process = ChildProcesses.processes().first,
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
    func `a tap-nfc that is killed while it lists devices is one clear error, and the next list succeeds`(
      isKilled: Bool
    ) throws {
      let directory = FileManager.default.temporaryDirectory.appending(path: "hesitant-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      // It stops itself, and continues as tap-nfc after SIGCONT.
      let program = try Script("kill -STOP $$\nexec \(NFCDevice.defaultProgram)", in: directory).path
      let list = DedicatedThread(named: "list") { () -> LinkError? in
        linkError { () throws(LinkError) in _ = try NFCDevice.connstrings(program: program) }
      }
      let process = try stoppedProcess()
      kill(process, isKilled ? SIGKILL : SIGCONT)
      let error = list.join()
      #expect(error?.code == (isKilled ? .serviceUnavailable : nil), "\(error?.reason ?? "none")")
      if isKilled { #expect(error?.reason.contains("the process that runs libnfc has ended") == true) }
      #expect(children.haveEnded())
      #expect(linkError { () throws(LinkError) in _ = try NFCDevice.connstrings() } == nil)
    }

    @Test func `a tap-nfc that is killed during a response is one clear error, and the card can be presented again`()
      throws
    {
      do {
        let chips = try SimulatedChips(.pair)
        let isHeld = Flag()
        let port = try InterceptedPort(chips.simulator.paths[1], code: 0x8F) { _ in
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
        for process in ChildProcesses.processes() where try isHolding(port.path, process) { kill(process, SIGKILL) }
        let error = linkError { () throws(LinkError) in try card.join() }
        #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("open the reader again") == true)
        #expect(journal.entries == [.field(.powered), .command(Self.selection), .field(.lost)])
        channel.close()
        port.close()

        let link = NFCLink(try chips.open(1))
        let next = serving(link, ChannelContract.responder())
        var again = try terminal.channel()
        #expect(try again.send(Self.selection) == [0x6D, 0x00])
        link.stop()
        try next.join()
      }
      #expect(children.haveEnded())
    }

    private func isHolding(_ path: String, _ process: pid_t) throws -> Bool {
      let directory = "/proc/\(process)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: directory).contains { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")) == path
      }
    }
  }
}

/// A shell script in the place of `tap-nfc`. Another process writes the file: Linux does not start a file that is open
/// for writing, and a process that another thread starts meanwhile would inherit the descriptor.
struct Script {
  let path: String

  init(_ text: String, in directory: URL) throws {
    path = directory.appending(path: "tap-nfc").path
    let writing = try ProgramRun(
      "sh",
      [
        "-c", "mkdir -p \"$1\" && printf '%s' \"$3\" > \"$2\" && chmod +x \"$2\"", "sh", directory.path, path,
        "#!/bin/sh\n\(text)\n",
      ])
    #expect(try writing.finish() == .exited(0), "\(writing.errors)")
  }
}
