#if PCSC
  import ISO7816
  import Links
  import Octets
  import TestSupport
  import Testing

  @testable import PCSCReader

  extension RealReaderTests {
    /// What waits for what inside libpcsclite and pcscd: the reasons for one context per session and one for watching.
    @Suite struct WaitingTests {
      private let command = CommandAPDU.getData(0x9F36).encoded

      @Test func `a wait without news times out`() throws {
        let context = try PCSCContext()
        let known = try context.states(after: [PCSCKnownState(reader: Desk.reader(), flags: 0)], for: .zero)
        let belief = PCSCKnownState(reader: try Desk.reader(), flags: known[0].flags)
        #expect(throws: PCSCError.timedOut) { _ = try context.states(after: [belief], for: .milliseconds(100)) }
      }

      @Test func `a cancellation that nobody waits for does not touch a later wait`() throws {
        let context = try PCSCContext()
        let known = try context.states(after: [PCSCKnownState(reader: Desk.reader(), flags: 0)], for: .zero)
        let belief = PCSCKnownState(reader: try Desk.reader(), flags: known[0].flags)
        context.cancel()
        context.cancel()
        var end = PCSCError.cancelled
        let time = ContinuousClock().measure {
          do throws(PCSCError) { _ = try context.states(after: [belief], for: .milliseconds(300)) } catch {
            end = error
          }
        }
        #expect(end == .timedOut)
        #expect(time >= .milliseconds(300))
      }

      @Test func `a cancellation ends a wait on another thread`() throws {
        let reader = try Desk.reader()
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

      @Test func `every other call on a context waits while one thread waits in it`() throws {
        let reader = try Desk.reader()
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
        // The call came back, so the wait had ended; nothing but its time ended it.
        #expect(waiting.join() == .timedOut)
      }

      /// With contexts of their own neither waits for the other.
      @Test func `watching goes on during a session, and sessions during a watch`() throws {
        let monitor = try PCSCMonitor()
        for _ in 0..<2 { _ = try monitor.next(timeout: .seconds(10)) }
        let watcher = DedicatedThread(named: "watcher") { () throws(LinkError) in
          try monitor.next(timeout: .seconds(120))?.change
        }
        let other = try Desk.present(ScriptedResponder(), in: 1)
        #expect(try watcher.join() == .cardInserted(answerToReset: [0x3B, 0x80, 0x80, 0x01, 0x01]))
        let again = DedicatedThread(named: "watcher") { () throws(LinkError) in
          try monitor.next(timeout: .seconds(120))?.change
        }
        var channel = try PCSCChannel(reader: Desk.reader(1))
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
        let card = try Desk.present(ScriptedResponder(pace: .held(gate), journal: journal))
        let shared = SharedTransaction(try PCSCContext().connect(to: Desk.reader()).beginTransaction())
        let command = command
        let terminal = DedicatedThread(named: "terminal") { () throws(PCSCError) -> [UInt8] in
          var room = [UInt8](repeating: 0, count: 258)
          let count = try room.withMutableOctets { (room) throws(PCSCError) in
            try shared.transaction.transmit(command.span, into: &room)
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
