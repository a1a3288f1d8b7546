import ContactlessPayment
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import PaymentAcceptance
import TestSupport
import Testing
import Transcripts
import VirtualCard

@Suite("A link that is lost at any exchange", .blocks, .timeLimit(.minutes(20)))
struct LinkLossTests {
  static let cards = [
    "visa-cvn10", "visa-cvn18", "visa-two-accounts", "co-badged", "mastercard-cvn16", "mastercard-magstripe",
  ]

  /// What an undisturbed tap looks like: how many exchanges, and which of them brings the cryptogram.
  private func undisturbed(_ card: String) async throws -> (count: Int, cryptogram: Int) {
    let setup = try await LossSetup(card: card)
    let (session, log, link) = try await setup.present()
    guard case .success(let receipt) = try await setup.tap(at: link.base) else { throw LossFailure.noPayment }
    _ = await log.drain()
    await setup.end(session)
    // GENERATE AC and COMPUTE CRYPTOGRAPHIC CHECKSUM; a Visa card's cryptogram comes with its options.
    let computes: [UInt8] = [Instruction.generateAC, 0x2A]
    let place =
      receipt.exchanges.firstIndex { computes.contains($0.command[1]) }
      ?? receipt.exchanges.firstIndex { $0.command[1] == Instruction.getProcessingOptions }
    return (receipt.exchanges.count, try #require(place) + 1)
  }

  @Test(
    arguments: cards,
    Cut.Moment.allCases)
  func `loopback, the terminal leaves: the session lives on, and pays at the next tap`(
    _ card: String, _ moment: Cut.Moment
  ) async throws {
    let (count, cryptogram) = try await undisturbed(card)
    #expect(count >= 4)
    for exchange in 1...count {
      let cut = Cut(exchange: exchange, moment: moment)
      let setup = try await LossSetup(card: card)
      let (session, log, link) = try await setup.present()
      let torn = try await setup.tap(at: link.base, cut: cut) { $0.close() }
      expect(torn, isTornBy: cut, of: count)
      let isPaid = cut.isSeen(exchange: count)
      if !isPaid {
        if cut.isSeen(exchange: 1) { await log.read(until: "posDisconnected") }
        guard case .success(let receipt) = try await setup.tap(at: link.base) else { throw LossFailure.noPayment }
        #expect(receipt.outcome.kind == .approved)
      }
      #expect(await log.drain().filter(\.isTerminalEvent) == ["transactionCompleted"], "\(cut)")
      await setup.end(session)
      let uses = !isPaid && cut.isSeen(exchange: cryptogram) ? 2 : 1
      #expect(setup.journal.counters == Array(1...UInt16(uses)), "\(cut)")
      #expect(try setup.usesLeft() == LossSetup.uses - uses, "\(cut)")
    }
  }

  @Test(
    arguments: cards,
    Cut.Moment.allCases)
  func `loopback, the card's link fails: one terminal event, and the next session repeats no use`(
    _ card: String, _ moment: Cut.Moment
  ) async throws {
    let (count, cryptogram) = try await undisturbed(card)
    for exchange in 1...count {
      let cut = Cut(exchange: exchange, moment: moment)
      let setup = try await LossSetup(card: card)
      let (session, log, link) = try await setup.present(losingWithin: moment == .within ? exchange : nil)
      let torn = try await setup.tap(at: link.base, cut: moment == .within ? nil : cut) { _ in link.lose() }
      expect(torn, isTornBy: cut, of: count)
      let isPaid = cut.isSeen(exchange: count)
      let last = isPaid ? "transactionCompleted" : "errorEncountered(transmissionError)"
      #expect(await log.drain().filter(\.isTerminalEvent) == [last], "\(cut)")
      await setup.end(session)
      let isSpent = cut.isSeen(exchange: cryptogram)
      #expect(try setup.usesLeft() == LossSetup.uses - (isSpent ? 1 : 0), "\(cut)")
      let next = try await setup.present()
      guard case .success = try await setup.tap(at: next.link.base) else { throw LossFailure.noPayment }
      #expect(await next.log.drain().last == "transactionCompleted")
      await setup.end(next.session)
      #expect(setup.journal.counters == (isSpent ? [1, 2] : [1]), "\(cut)")
    }
  }

  @Test(arguments: 1...5)
  func `loopback: nothing of a torn tap is left, neither thread nor link nor session`(_ exchange: Int) async throws {
    weak var link: LossyLink<Loopback>?
    weak var session: ContactlessPaymentSession?
    let setup = try await LossSetup(card: "visa-cvn18")
    do {
      let presented = try await setup.present(losingWithin: exchange)
      (link, session) = (presented.link, presented.session)
      _ = try await setup.tap(at: presented.link.base)
      _ = await presented.log.drain()
      await presented.session.finished()
    }
    // The thread's own reference goes a moment after its last word.
    let deadline = ContinuousClock.now + .seconds(20)
    while link != nil || session != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    #expect(link == nil)
    #expect(session == nil)
  }

  private func expect(_ torn: Result<PaymentReceipt, AcceptanceFailure>, isTornBy cut: Cut, of count: Int) {
    switch torn {
    case .success(let receipt):
      #expect(cut.exchange == count && cut.moment == .after, "\(cut)")
      #expect(receipt.outcome.kind == .approved, "\(cut)")
    case .failure(let failure):
      #expect(failure.linkError?.code == .cardRemoved, "\(cut)")
      #expect(failure.outcome?.kind == .tryAgain, "\(cut)")
      #expect(failure.exchanges.count == cut.exchange + (cut.moment == .after ? 1 : 0), "\(cut)")
    }
  }

  // MARK: Replays

  @Test(arguments: cards.prefix(2))
  func `replay, torn at every exchange: the terminal ends with the recorded error`(_ card: String) throws {
    let text = String(decoding: try Fixtures.data("Transcripts/\(card)-terminal.txt"), as: UTF8.self)
    let whole = try Transcript(parsing: text)
    let scratch = try Scratch()
    for exchange in 1...whole.exchanges.count {
      let file = try scratch.write("torn.txt", try tearing(text, at: exchange))
      let run = try TapProgram.run(
        "accept", "--reader", "replay:\(file)", "--amount", directive("amount", in: text), "--currency",
        directive("currency", in: text), "--format", "json")
      #expect(run.code == 2, "exchange \(exchange): \(run.errors)")
      let json = try run.json()
      #expect((json["error"] as? [String: Any])?["code"] as? String == "cardRemoved", "\(run.output)")
      #expect((json["exchanges"] as? [Any])?.count == exchange, "\(run.output)")
    }
  }

  private func directive(_ key: String, in text: String) throws -> String {
    let lead = "#@ \(key): "
    return String(try #require(text.split(separator: "\n").first { $0.hasPrefix(lead) }).dropFirst(lead.count))
  }

  /// The recording up to a command whose response never came.
  private func tearing(_ text: String, at exchange: Int) throws -> String {
    var kept: [Substring] = []
    var octetLines = 0
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#@ outcome") || line.hasPrefix("#@ host") { continue }
      kept.append(line)
      if !line.hasPrefix("#") { octetLines += 1 }
      if octetLines == 2 * exchange - 1 { return kept.joined(separator: "\n") + "\n#@ torn: cardRemoved\n" }
    }
    throw LossFailure.noSuchExchange
  }
}
