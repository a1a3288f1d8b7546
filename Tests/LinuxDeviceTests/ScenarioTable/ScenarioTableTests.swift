import DeviceAuthentication
import Foundation
import TestSupport
import Testing

/// The published rows at the programs: each row, while nothing runs, while a card is armed, while its process is stopped and
/// before a further use, with each command that uses a wallet.
@Suite("The eleven rows at the programs", .blocks, .timeLimit(.minutes(60)))
struct ScenarioTableTests {
  /// How long a process has to notice a loss by itself before the terminal comes.
  private static let patience = Duration.seconds(10)
  /// Longer than a reading of the device counts for an answer: 100 ms.
  private static let ageOfReadings: UInt32 = 200_000

  @Test func `each command has the outcome of its row on simulated devices, whatever runs while they change`()
    async throws
  {
    let (server, scratch) = (try TableServer(), try Scratch())
    for (number, row) in DeviceScenario.table.enumerated() {
      let folder = scratch.path("\(row.policy.rawValue)-\(row.setUp.count)")
      if !FileManager.default.fileExists(atPath: folder) {
        try SimulatedPlace.enrol(folder, row, as: "user\(number)", at: server)
      }
      for moment in TableMoment.allCases {
        try await check(row, moment, at: SimulatedPlace(copying: folder))
      }
    }
  }

  /// The rows and moments that CI runs on the device of a Linux machine: each moment once, and each outcome.
  private static let shortTable: [(row: Int, moment: TableMoment)] = [
    (8, .nothingRuns), (0, .armed), (6, .stopped), (3, .furtherUse),
  ]

  @Test func `each command has the outcome of its row on the device of a Linux machine`() async throws {
    let all = DeviceScenario.table.indices.flatMap { row in TableMoment.allCases.map { (row: row, moment: $0) } }
    let servers = try TableCommand.payments.map { _ in try TableServer() }
    for (row, moment) in Soak.isOn ? all : Self.shortTable {
      let scenario = DeviceScenario.table[row]
      try await check(
        scenario, moment, at: LinuxPlace(scenario, named: "row\(row)-\(moment)", at: servers))
    }
  }

  // MARK: One row at one moment

  private func check(_ row: DeviceScenario, _ moment: TableMoment, at place: some TablePlace) async throws {
    let results = try await results(row, moment, at: place)
    for command in TableCommand.allCases {
      let (result, expected) = (try #require(results[command]), row.expected(command, moment))
      #expect(expected.contains(result), "\(row), \(moment), \(command)")
    }
    guard !row.allowsPayment else { return }
    // A lost key removes the cards; without biometrics they stay.
    let end = row.outcome == .authenticationKeyInvalidated ? "authenticationKeyInvalidated" : TableResult.done
    for command in TableCommand.payments {
      let cards = try run(["cards", "list"], command, at: place)
      #expect(cards.end == end, "\(row), \(moment), \(command)")
    }
  }

  private func results(
    _ row: DeviceScenario, _ moment: TableMoment, at place: some TablePlace
  ) async throws -> [TableCommand: TableResult] {
    guard moment != .nothingRuns else {
      try await place.apply(row.changes)
      let others = try others(at: place)
      return try payments(at: place) { if $0.isPresented { $0.tap() } }.merging(others) { $1 }
    }
    var others: [TableCommand: TableResult] = [:]
    let payments = try TableCommand.payments.map { try TablePayment($0, at: place) }
    for payment in payments { try #require(payment.isPresented, "\(row), \(moment): \(payment.run.text)") }
    if moment != .armed { for payment in payments { payment.begin(withCryptogram: moment == .furtherUse) } }
    if moment == .stopped { for payment in payments { try payment.run.stop() } }
    try await place.apply(row.changes)
    if moment == .stopped {
      usleep(Self.ageOfReadings)
      for payment in payments { payment.goOnWithCommandWaiting() }
    } else {
      if !row.allowsPayment { waitForEnd(of: payments) }
      others = try self.others(at: place)
      for payment in payments { payment.tap() }
    }
    let results = try Dictionary(uniqueKeysWithValues: payments.map { ($0.command, try $0.result()) })
    if moment == .stopped { others = try self.others(at: place) }
    return results.merging(others) { $1 }
  }

  private func waitForEnd(of payments: [TablePayment]) {
    let limit = ContinuousClock.now + Self.patience
    for payment in payments {
      _ = payment.run.program.wait(timeout: max(.zero, limit - .now)) { $0.poll() != nil }
    }
  }

  private func payments(
    at place: some TablePlace, _ tap: (TablePayment) -> Void
  ) throws -> [TableCommand: TableResult] {
    var results: [TableCommand: TableResult] = [:]
    for command in TableCommand.payments {
      let payment = try TablePayment(command, at: place)
      tap(payment)
      results[command] = try payment.result()
    }
    return results
  }

  private func others(at place: some TablePlace) throws -> [TableCommand: TableResult] {
    [
      .history: try run(["history"], .history, at: place),
      .replenish: try run(["replenish", "--force"], .replenish, at: place),
    ]
  }

  private func run(_ words: [String], _ command: TableCommand, at place: some TablePlace) throws -> TableResult {
    let arguments = words + ["--state", place.folder(of: command), "--format", "json"] + place.deviceOptions
    return TableResult(end: try place.start("tap-wallet", arguments).end())
  }
}
