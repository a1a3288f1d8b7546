import Foundation
import Glibc
import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  struct NFCProcessTests {
    static let wrong: [(connstring: String, code: LinkError.Code, says: String)] = [
      ("", .readerUnavailable, "1 to 1023"),
      (String(repeating: "x", count: 1024), .readerUnavailable, "1 to 1023"),
      ("pn532_uart:/dev/does-not-exist", .readerUnavailable, "/dev/does-not-exist"),
      ("pn532_uart:/dev/null", .readerUnavailable, "libnfc cannot open"),
      ("nonsense", .readerUnavailable, "libnfc cannot open"),
    ]

    @Test(arguments: wrong.indices)
    func `a device that cannot be opened is told with its name, and no process is left`(_ row: Int) throws {
      let (connstring, code, says) = Self.wrong[row]
      let error = linkError { () throws(LinkError) in _ = try NFCDevice(connstring) }
      #expect(error?.code == code)
      #expect(error?.reason.contains(says) == true, "\(error?.reason ?? "")")
      #expect(Possessions.processes().isEmpty)
    }

    @Test func `a port that another program holds is busy, and its holder is told`() throws {
      let path = NSTemporaryDirectory() + "port-\(UUID().uuidString)"
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer {
        close(descriptor)
        unlink(path)
      }
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("pn532_uart:\(path)") }
      #expect(error?.code == .busy)
      let own = String(try #require(try? String(contentsOfFile: "/proc/self/comm", encoding: .utf8)).dropLast())
      #expect(error?.reason.contains("process \(getpid()) (\(own))") == true, "\(error?.reason ?? "none")")
    }

    @Test func `a second opener hears which tap-nfc holds the port, and of which program`() throws {
      let chips = try SimulatedChips(.chip)
      let device = try chips.open()
      let error = linkError { () throws(LinkError) in _ = try chips.open() }
      #expect(error?.code == .busy)
      let holder = "process \(Possessions.processes().first ?? 0) (tap-nfc) of process \(getpid()) ("
      #expect(error?.reason.contains(holder) == true, "\(error?.reason ?? "none")")
      #expect(device.name.hasPrefix("pn532_uart"))
    }

    @Test func `a program that is not there: the error says where it was looked for, and how it is built`() {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/nowhere/tap-nfc") }
      #expect(error?.code == .serviceUnavailable)
      for words in ["/nowhere/tap-nfc", "swift build --product tap-nfc", "No such file"] {
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "none")")
      }
    }

    /// What the process is asked for when it is killed; commands and the card's requests have tests of their own.
    enum Request: CaseIterable, Sendable { case open, select, release }

    @Test(arguments: Request.allCases)
    func `killed in the middle of a request: one clear error, and the device opens again`(_ request: Request) throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      // A chip that never answers.
      let silent = try ReaderSimulator(.chip)
      let device = request == .open ? nil : try chips.open()
      if request == .select { chips.simulator.setCoupled(false) }
      let thread = DedicatedThread(named: "terminal") { () -> LinkError? in
        linkError { () throws(LinkError) in
          guard let device else {
            _ = try NFCDevice(silent.connstrings[0])
            return
          }
          var channel = try device.channel(timeout: .seconds(20))
          if request == .release { Self.kill() }
          channel.close()
          _ = try device.channel()
        }
      }
      if request != .release {
        while Possessions.processes().isEmpty { usleep(1_000) }
        usleep(30_000)
        Self.kill()
      }
      let error = thread.join()
      #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
      chips.simulator.setCoupled(true)
      var channel = try chips.open().channel()
      #expect(try channel.send([0x00, 0x99, 0x00, 0x00]) == [0x6D, 0x00])
    }

    private static func kill() { for process in Possessions.processes() { Glibc.kill(process, SIGKILL) } }

    // In a process of its own, so that descriptors and children can be counted.
    @Test func `a device that is opened, closed and refused a hundred times leaves nothing`() async {
      await #expect(processExitsWith: .success) {
        do {
          let chips = try SimulatedChips(.card(ProximityIdentity()))
          _ = try chips.open().channel()
          let before = await OpenResources.atRest()
          for _ in 0..<100 {
            let device = try chips.open()
            _ = try device.channel()
            _ = linkError { () throws(LinkError) in _ = try chips.open() }
            _ = linkError { () throws(LinkError) in _ = try NFCDevice("pn532_uart:/dev/does-not-exist") }
            _ = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/nowhere/tap-nfc") }
          }
          let after = await OpenResources.atRest()
          #expect(after.children.isEmpty && after.descriptors <= before.descriptors, "\(before), then \(after)")
        } catch { Issue.record("\(error)") }
      }
    }

    @Test func `a program that ends at once is told, and leaves nothing`() throws {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/bin/true") }
      #expect(error?.code == .serviceUnavailable)
      #expect(Possessions.processes().isEmpty)
    }

    @Test func `tap-nfc says what it is when a person starts it`() throws {
      let run = try ProgramRun(NFCDevice.defaultProgram, ["--help"])
      #expect(try run.finish(timeout: .seconds(10)) == .exited(64))
      #expect(run.output.contains("NFCReader"))
    }
  }
}
