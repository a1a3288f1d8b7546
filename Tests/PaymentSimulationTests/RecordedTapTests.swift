import Fixtures
import Foundation
import Links
import Octets
import PaymentSimulation
import Testing
import Transcripts

/// Replays of recordings by a Swift caller, without the program.
@Suite("Replays of recordings", .timeLimit(.minutes(20)))
struct TranscriptReplayTests {
  static let terminal = [UInt8]((try? Fixtures.data("Terminals/attended-eur.json")) ?? Data())
  static let shipped = (try? Fixtures.names(in: "Transcripts", ending: ".txt")) ?? []
  /// Recordings of this project, which have an outcome.
  static let own = shipped.filter { $0.hasSuffix("-terminal.txt") || $0.hasSuffix("-card.txt") }

  static func text(_ name: String) throws -> String {
    String(decoding: try Fixtures.data("Transcripts/\(name)"), as: UTF8.self)
  }

  @discardableResult
  static func replay(_ transcript: Transcript) async throws -> TranscriptReplay.Report {
    try await TranscriptReplay(transcript, terminal: terminal).replay()
  }

  /// The error of a replay that must not reproduce.
  static func error(of transcript: Transcript) async throws -> ReplayError {
    try #require(await #expect(throws: ReplayError.self) { try await replay(transcript) })
  }

  @Test func `there are recordings of both sides and of both schemes`() {
    for side in ["-terminal.txt", "-card.txt"] {
      for scheme in ["visa-", "mastercard-"] {
        #expect(Self.shipped.contains { $0.hasPrefix(scheme) && $0.hasSuffix(side) }, "\(scheme)\(side)")
      }
    }
  }

  @Test(arguments: shipped)
  func `each shipped recording reproduces`(_ name: String) async throws {
    let transcript = try Transcript(parsing: Self.text(name))
    let report = try await Self.replay(transcript)
    #expect(report.role == transcript.role && report.exchangeCount == transcript.exchanges.count)
  }

  @Test(arguments: own)
  func `a recording without end that is cut after a command does not reproduce`(_ name: String) async throws {
    let text = try Self.text(name)
    let lines = text.split(separator: "\n")
    let whole = try Transcript(parsing: text)
    #expect(whole.truncation == nil && whole[.end] == nil)
    for (index, exchange) in whole.exchanges.enumerated() {
      let command = try #require(lines.firstIndex { $0 == exchange.command.hex })
      let cut = try Transcript(parsing: lines[...command].joined(separator: "\n"))
      #expect(cut.exchanges.count == index + 1)
      let error = try await Self.error(of: cut)
      #expect(error.isDifference)
      #expect(
        "\(error)" == "the recording is incomplete: it ends in exchange \(index + 1) without a response, though its "
          + "outcome is \"\(whole[.outcome] ?? "")\"")
    }
  }

  @Test(arguments: own)
  func `a recording with an end reproduces whole, and not when it is cut anywhere after its head`(
    _ name: String
  ) async throws {
    var whole = try Transcript(parsing: Self.text(name))
    whole.markComplete()
    try await Self.replay(whole)
    let lines = whole.text.split(separator: "\n")
    let head = try #require(lines.firstIndex { $0.hasPrefix("#@ exchanges") })
    for count in (head + 1)..<lines.count {
      let cut = try Transcript(parsing: lines.prefix(count).joined(separator: "\n"))
      let error = try await Self.error(of: cut)
      #expect(error.isDifference || cut.exchanges.isEmpty, "\(count) lines: \(error)")
    }
  }

  @Test(arguments: own)
  func `another outcome than the recorded one does not reproduce`(_ name: String) async throws {
    var changed = try Transcript(parsing: Self.text(name))
    let present = try #require(changed[.outcome])
    changed[.outcome] = "another"
    let error = try await Self.error(of: changed)
    #expect(
      "\(error)" == "all commands and responses are the recorded ones, but the outcome is \"\(present)\", not "
        + "\"another\"")
  }

  @Test func `a payment that failed reproduces with the same failure only`() async throws {
    var torn = try Transcript(parsing: Self.text("visa-cvn18-terminal.txt"))
    let last = try #require(torn.exchanges.last)
    torn.exchanges.removeLast()
    torn.exchanges.append(
      Transcript.Exchange(
        command: last.command, response: nil, notes: last.notes,
        responseNotes: [.directive(.torn, LinkError.Code.cardRemoved.rawValue)]))
    torn[.outcome] = "failed cardRemoved"
    torn.markComplete()
    try await Self.replay(Transcript(parsing: torn.text))
    torn[.outcome] = "failed transmissionFailed"
    let error = try await Self.error(of: torn)
    #expect("\(error)".contains("\"failed cardRemoved\", not \"failed transmissionFailed\""))
    torn[.outcome] = "approved"
    #expect("\(try await Self.error(of: torn))".contains("\"failed cardRemoved\", not \"approved\""))
  }

  @Test(arguments: [Transcript.Role.terminal, .card])
  func `a recording without exchanges is unusable`(_ role: Transcript.Role) async throws {
    var transcript = Transcript()
    transcript.role = role
    let error = try await Self.error(of: transcript)
    #expect(!error.isDifference && "\(error)" == "the recording has no exchanges")
  }

  @Test func `a recording of the card's side without a card profile is unusable`() async throws {
    var transcript = try Transcript(parsing: Self.text("visa-two-accounts-card.txt"))
    transcript[.card] = nil
    let error = try await Self.error(of: transcript)
    #expect(!error.isDifference && "\(error)".contains("no card profile"))
  }

  @Test func `a recorded value that no profile can have is reported and not compared`() async throws {
    var transcript = try Transcript(parsing: Self.text("apple-pay-visa.txt"))
    transcript.exchanges = transcript.exchanges.map {
      Transcript.Exchange(command: $0.command, response: $0.response, notes: $0.notes, responseNotes: $0.responseNotes)
    }
    let report = try await Self.replay(transcript)
    #expect(report.notes == ["9F4E is not compared: no terminal profile can have the recorded value"])
  }
}
