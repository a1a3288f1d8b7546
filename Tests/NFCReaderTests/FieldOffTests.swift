import Foundation
import Glibc
import ISO7816
import Links
import ReaderSimulator
import TestSupport
import Testing

@testable import NFCReader

extension LibNFCTests {
  /// A program that ends, in whatever way, leaves no field on.
  struct FieldOffTests {
    static let command: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let children = ChildProcesses()

    /// A card that takes its time, and its log.
    private func slowCard() -> (card: ScriptedResponder, journal: ResponderJournal) {
      let journal = ResponderJournal()
      return (ScriptedResponder(pace: .slow(.milliseconds(400)), journal: journal), journal)
    }

    private func isFieldOff(_ journal: ResponderJournal) -> Bool {
      journal.wait(timeout: .seconds(60)) { $0.last == .field(.lost) }
    }

    @Test func `the field goes off when the program ends during a command and the chip's answers are lost`() throws {
      let (card, journal) = slowCard()
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: card)
      let isCut = Flag()
      let port = try InterceptedPort(chips.simulator.paths[0]) { isCut.isRaised ? [] : $0 }
      defer { port.close() }
      do {
        let program = try DirectProgram(port.connstring)
        guard case .card = try program.ask(.select) else { throw DirectProgram.Failure(request: .select, arrival: nil) }
        program.send(.transceive(milliseconds: 5_000, command: Self.command))
        #expect(journal.wait(timeout: .seconds(60)) { $0.contains(.command(Self.command)) })
        isCut.raise()
      }
      #expect(isFieldOff(journal), "\(journal.entries)")
    }

    @Test(arguments: [2, 60])
    func `the field goes off when a call of libnfc returns late or never`(seconds: Int) throws {
      let journal = ResponderJournal()
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), card: ChannelContract.responder(journal: journal))
      let library = try HangingLibrary(seconds: seconds)
      do {
        let program = try DirectProgram(chips.simulator.connstrings[0], environment: ["LD_PRELOAD": library.path])
        guard case .card = try program.ask(.select) else { throw DirectProgram.Failure(request: .select, arrival: nil) }
        #expect(journal.wait(timeout: .seconds(60)) { $0.last == .field(.powered) }, "\(journal.entries)")
        program.send(.transceive(milliseconds: 100, command: Self.command))
        usleep(100_000)
        program.closeSocket()
        #expect(isFieldOff(journal), "\(journal.entries)")
        #expect(try program.finish() == .exited(0))
      }
    }

    @Test func `SIGTERM during a command switches the field off and ends tap-nfc`() throws {
      let (card, journal) = slowCard()
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: card)
      let program = try DirectProgram(chips.simulator.connstrings[0])
      guard case .card = try program.ask(.select) else { throw DirectProgram.Failure(request: .select, arrival: nil) }
      program.send(.transceive(milliseconds: 5_000, command: Self.command))
      #expect(journal.wait(timeout: .seconds(60)) { $0.contains(.command(Self.command)) })
      program.signal(SIGINT)
      program.signal(SIGTERM)
      #expect(isFieldOff(journal), "\(journal.entries)")
      #expect(try program.finish() == .exited(0))
    }

    @Test func `a request whose time is up is a timeout, and the process switches the field off before it exits`()
      throws
    {
      let (card, journal) = slowCard()
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: card)
      let device = try chips.open()
      let process = try #require(ChildProcesses.processes().first)
      var channel = try device.channel(responseTimeout: .milliseconds(100))
      kill(process, SIGSTOP)
      let error = linkError { () throws(LinkError) in _ = try channel.send(Self.command) }
      #expect(error?.code == .timedOut)
      #expect(error?.reason.contains("its process is being ended; open the reader again") == true)
      let second = linkError { () throws(LinkError) in _ = try device.channel() }
      #expect(second?.code == .serviceUnavailable)
      kill(process, SIGCONT)
      #expect(isFieldOff(journal), "\(journal.entries)")
    }

    @Test func `a process that does not exit is killed after its limit, and its owner does not wait for that`() throws {
      let directory = FileManager.default.temporaryDirectory.appending(path: "deaf-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      // A name of its own: other tests have children that sleep.
      let program = try Script("exec \(directory.path)/deaf 600", in: directory).path
      try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: directory.appending(path: "deaf").path)
      let end: ContinuousClock.Instant
      do {
        _ = try NFCProcess(program: program, exitLimit: .milliseconds(100), killLimit: .milliseconds(200))
        end = .now
      }
      #expect(ContinuousClock.now - end < .seconds(5))
      #expect(children.haveEnded(named: "deaf"))
    }
  }
}

/// A library that makes the exchange with a card hang, for LD_PRELOAD.
private final class HangingLibrary {
  struct Failure: Error { let text: String }

  private let directory: URL
  var path: String { directory.appending(path: "hang.so").path }

  init(seconds: Int) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "hang-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let source = """
      #include <unistd.h>
      #include <stddef.h>
      int nfc_initiator_transceive_bytes(void *d, const void *t, size_t n, void *r, size_t m, int l) {
        for (unsigned left = \(seconds); left; left = sleep(left)) {}
        return -1;
      }

      """
    try source.write(to: directory.appending(path: "hang.c"), atomically: true, encoding: .utf8)
    let compiler = try ProgramRun("cc", ["-shared", "-fPIC", "-o", path, directory.appending(path: "hang.c").path])
    guard try compiler.finish() == .exited(0) else { throw Failure(text: compiler.errors) }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }
}
