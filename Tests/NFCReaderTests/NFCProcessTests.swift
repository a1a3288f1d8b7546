import Foundation
import Links
import NFCReader
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

    @Test("a device that cannot be opened is told with its name, and no process is left", arguments: wrong.indices)
    func unknown(_ row: Int) throws {
      let (connstring, code, says) = Self.wrong[row]
      let error = linkError { () throws(LinkError) in _ = try NFCDevice(connstring) }
      #expect(error?.code == code)
      #expect(error?.reason.contains(says) == true, "\(error?.reason ?? "")")
      #expect(Possessions.processes().isEmpty)
    }

    @Test("a port that another program holds is busy")
    func locked() throws {
      let path = NSTemporaryDirectory() + "port-\(UUID().uuidString)"
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer {
        close(descriptor)
        unlink(path)
      }
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("pn532_uart:\(path)") }
      #expect(error?.code == .busy)
    }

    @Test("a program that is not there is told")
    func noProgram() {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/nowhere/tap-nfc") }
      #expect(error?.code == .serviceUnavailable)
      #expect(error?.reason.contains("/nowhere/tap-nfc") == true)
    }

    @Test("a program that ends at once is told, and leaves nothing")
    func wrongProgram() throws {
      let error = linkError { () throws(LinkError) in _ = try NFCDevice("x", program: "/bin/true") }
      #expect(error?.code == .serviceUnavailable)
      #expect(Possessions.processes().isEmpty)
    }

    @Test("tap-nfc says what it is when a person starts it")
    func byHand() throws {
      let run = try ProgramRun(NFCDevice.defaultProgram, ["--help"])
      #expect(try run.finish(timeout: .seconds(10)) == .exited(64))
      #expect(run.output.contains("NFCReader"))
    }
  }
}
