#if PCSC
  import ISO7816
  import Links
  import Octets
  import TestSupport
  import Testing

  @testable import PCSCReader

  extension RealReaderTests {
    /// Which calls of libpcsclite block each other: the reason for one context per channel and one for the monitor.
    @Suite struct WaitingTests {
      private let command = CommandAPDU.getData(0x9F36).encoded

      @Test func `a wait without a change times out`() throws {
        let context = try PCSCContext()
        let known = try context.states(after: [PCSCKnownState(reader: SharedPCSCD.reader(), flags: 0)], for: .zero)
        let state = PCSCKnownState(reader: try SharedPCSCD.reader(), flags: known[0].flags)
        #expect(throws: PCSCError.timedOut) { _ = try context.states(after: [state], for: .milliseconds(100)) }
      }

      @Test func `a cancellation without a wait has no effect on a later wait`() throws {
        let context = try PCSCContext()
        let known = try context.states(after: [PCSCKnownState(reader: SharedPCSCD.reader(), flags: 0)], for: .zero)
        let state = PCSCKnownState(reader: try SharedPCSCD.reader(), flags: known[0].flags)
        context.cancel()
        context.cancel()
        var end = PCSCError.cancelled
        let time = ContinuousClock().measure {
          do throws(PCSCError) { _ = try context.states(after: [state], for: .milliseconds(300)) } catch {
            end = error
          }
        }
        #expect(end == .timedOut)
        #expect(time >= .milliseconds(300))
      }

      @Test func `a cancellation ends a wait on another thread`() throws {
        let reader = try SharedPCSCD.reader()
        let shared = Shared(try PCSCContext())
        let known = try shared.context.states(after: [PCSCKnownState(reader: reader, flags: 0)], for: .zero)
        let flags = known[0].flags
        let waiting = DedicatedThread(named: "waiting") { () throws(PCSCError) in
          _ = try shared.context.states(after: [PCSCKnownState(reader: reader, flags: flags)], for: .seconds(60))
        }
        #expect(try waiting.join(timeout: .milliseconds(200)) == nil)
        var ending: PCSCError?
        while ending == nil {
          shared.context.cancel()
          do throws(PCSCError) { _ = try waiting.join(timeout: .milliseconds(20)) } catch { ending = error }
        }
        #expect(ending == .cancelled)
      }

      @Test func `every other call on a context blocks while one thread waits in it`() throws {
        let reader = try SharedPCSCD.reader()
        let shared = Shared(try PCSCContext())
        let known = try shared.context.states(after: [PCSCKnownState(reader: reader, flags: 0)], for: .zero)
        let flags = known[0].flags
        let waiting = DedicatedThread(named: "waiting") { () -> PCSCError? in
          do throws(PCSCError) {
            _ = try shared.context.states(
              after: [PCSCKnownState(reader: reader, flags: flags)], for: .milliseconds(900))
            return nil
          } catch { return error }
        }
        #expect(waiting.join(timeout: .milliseconds(200)) == nil)
        _ = try shared.context.readerNames()
        // The call returned, so the wait had ended, and only its time limit can have ended it.
        #expect(waiting.join() == .timedOut)
      }

      /// With separate contexts neither blocks the other.
      @Test func `a monitor waits during an exchange, and a channel exchanges during a wait`() throws {
        let monitor = try PCSCMonitor()
        for _ in 0..<2 { _ = try monitor.next(timeout: .seconds(60)) }
        let watcher = DedicatedThread(named: "watcher") { () throws(LinkError) in
          try monitor.next(timeout: .seconds(120))?.change
        }
        let other = try SharedPCSCD.present(ScriptedResponder(), in: 1)
        #expect(try watcher.join() == .cardInserted(answerToReset: [0x3B, 0x80, 0x80, 0x01, 0x01]))
        let again = DedicatedThread(named: "watcher") { () throws(LinkError) in
          try monitor.next(timeout: .seconds(120))?.change
        }
        var channel = try PCSCChannel(reader: SharedPCSCD.reader(1))
        for _ in 0..<50 {
          #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        }
        channel.close()
        #expect(again.result == nil)
        try other.takeOut(of: 1)
        #expect(try again.join() == .cardRemoved)
      }

      @Test func `a cancellation does not end a command`() throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try SharedPCSCD.present(ScriptedResponder(pace: .held(gate), journal: journal))
        let shared = SharedTransaction(try PCSCContext().connect(to: SharedPCSCD.reader()).beginTransaction())
        let command = command
        let terminal = DedicatedThread(named: "terminal") { () throws(PCSCError) -> [UInt8] in
          var room = [UInt8](repeating: 0, count: 258)
          let count = try room.withMutableOctets { (room) throws(PCSCError) in
            try shared.transaction.card.transmit(command.span, into: &room)
          }
          return Array(room.prefix(count))
        }
        #expect(journal.wait { $0.last == .command(command) })
        for _ in 0..<5 { shared.transaction.card.context.cancel() }
        #expect(try terminal.join(timeout: .milliseconds(100)) == nil)
        gate.open()
        #expect(try terminal.join() == [0x6D, 0x00])
        try card.takeOut()
      }
    }

    private final class Shared: Sendable {
      let context: PCSCContext
      init(_ context: consuming PCSCContext) { self.context = context }
    }

    private final class SharedTransaction: Sendable {
      let transaction: PCSCTransaction
      init(_ transaction: consuming PCSCTransaction) { self.transaction = transaction }
    }
  }
#endif
