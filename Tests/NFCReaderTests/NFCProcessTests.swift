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
    func `a device that cannot be opened is an error with its name, and no process is left`(_ row: Int) throws {
      let (connstring, code, says) = Self.wrong[row]
      let error = linkError { () throws(LinkError) in _ = try NFCDevice(connstring) }
      #expect(error?.code == code)
      #expect(error?.reason.contains(says) == true, "\(error?.reason ?? "")")
      #expect(ChildProcesses.processes().isEmpty)
    }

    @Test func `a port that another program holds is busy, and the error names that program`() throws {
      // tap-nfc has access to files in /dev only.
      let path = "/dev/shm/port-\(UUID().uuidString)"
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

    @Test func `a port that a tap-nfc holds is busy, and the error names that process and its parent`() throws {
      let chips = try SimulatedChips(.chip)
      let device = try chips.open()
      let error = linkError { () throws(LinkError) in _ = try chips.open() }
      #expect(error?.code == .busy)
      let holder = "process \(ChildProcesses.processes().first ?? 0) (tap-nfc) of process \(getpid()) ("
      #expect(error?.reason.contains(holder) == true, "\(error?.reason ?? "none")")
      #expect(device.name.hasPrefix("pn532_uart"))
    }

    @Test func `a missing tap-nfc is an error with its path and the command that builds it`() {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/nowhere/tap-nfc") }
      #expect(error?.code == .serviceUnavailable)
      for words in ["/nowhere/tap-nfc", "swift build --product tap-nfc", "No such file"] {
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "none")")
      }
    }

    /// The request during which the process is killed. Commands and the requests of the card role have their own tests.
    enum Request: CaseIterable, Sendable { case open, select, release }

    @Test(arguments: Request.allCases)
    func `a tap-nfc that is killed during a request is one clear error, and the device opens again`(_ request: Request)
      throws
    {
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
          var channel = try device.channel(timeout: .seconds(60))
          if request == .release { Self.kill() }
          channel.close()
          _ = try device.channel()
        }
      }
      if request != .release {
        while ChildProcesses.processes().isEmpty { usleep(1_000) }
        usleep(30_000)
        Self.kill()
      }
      let error = thread.join()
      #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
      chips.simulator.setCoupled(true)
      var channel = try chips.open().channel()
      #expect(try channel.send([0x00, 0x99, 0x00, 0x00]) == [0x6D, 0x00])
    }

    private static func kill() { for process in ChildProcesses.processes() { Glibc.kill(process, SIGKILL) } }

    // In a separate process, so that descriptors and children can be counted.
    @Test func `a hundred openings, closings and refusals leave no descriptor and no process`() async {
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

    @Test func `a program that ends at once is serviceUnavailable, and no process is left`() throws {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/bin/true") }
      #expect(error?.code == .serviceUnavailable)
      #expect(ChildProcesses.processes().isEmpty)
    }

    @Test func `tap-nfc prints its purpose when a person starts it`() throws {
      let run = try ProgramRun(NFCDevice.defaultProgram, ["--help"])
      #expect(try run.finish(timeout: .seconds(60)) == .exited(0))
      #expect(run.output.hasPrefix("OVERVIEW: Serve one NFC device to one program."))
      let mistyped = try ProgramRun(NFCDevice.defaultProgram, ["--hepl"])
      #expect(try mistyped.finish(timeout: .seconds(60)) == .exited(64))
      #expect(
        mistyped.errors.hasPrefix("error: unknown option \"--hepl\". Did you mean \"--help\"?"), "\(mistyped.errors)")
    }
  }
}
