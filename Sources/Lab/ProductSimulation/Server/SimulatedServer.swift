internal import AccessServer
internal import Foundation
internal import Octets
internal import ServerShell
internal import ServerStore

/// The server of an issuer: a database that stays, and two processes on it, each of which ends and starts again.
actor SimulatedServer {
  /// A running process.
  private struct Process {
    let service: ReloadableService
    let store: MortalAccessStore
    let life: Mortality
  }

  /// The number of processes.
  static let processes = 2
  /// The token of the operator.
  static let operatorToken = "operator-token-of-the-simulation-0123456789"

  nonisolated let number: Int
  nonisolated let origin: String
  nonisolated let clock: SimulatedClock
  private let folder: URL
  private var configuration: ServerConfiguration
  private var seeds: SplitMix64
  private var running: [Int: Process] = [:]

  /// Describes a server. Its processes start with their first requests.
  init(number: Int, configuration: ServerConfiguration, clock: SimulatedClock, folder: URL, seed: UInt64) {
    (self.number, self.configuration, self.clock) = (number, configuration, clock)
    origin = "https://issuer\(number).example"
    self.folder = folder.appending(path: "server\(number)")
    seeds = SplitMix64(seed: seed)
  }

  private var database: URL { folder.appending(path: "database.sqlite") }

  /// Answers a request by one of the processes, which is started if it does not run.
  ///
  /// - Returns: The response; nil when the process was killed, or could not start.
  func answer(_ request: AccessRequest, by place: Int, plan: Mortality.Plan?) async -> AccessResponse? {
    let process: Process
    do { process = try await started(place) } catch { return nil }
    process.life.plan(plan)
    let response = await process.service.respond(to: request)
    process.life.plan(nil)
    guard !process.life.isOver else {
      running[place] = nil
      return nil
    }
    return response
  }

  /// Ends all processes.
  func end() {
    for process in running.values { process.life.end() }
    running = [:]
  }

  private var copy: URL { folder.appending(path: "copy.sqlite") }

  /// Copies the database, in use or not, in the place of the last copy.
  func backUp() throws -> String {
    guard FileManager.default.fileExists(atPath: database.path) else { return "no database" }
    try? FileManager.default.removeItem(at: copy)
    _ = try DatabaseBackup.copy(file: database.path, to: copy.path, at: clock.now)
    return "copied"
  }

  /// Puts the last copy in the place of the database. The copy stays.
  ///
  /// - Returns: False without a copy.
  func restoreBackup() throws -> Bool {
    guard FileManager.default.fileExists(atPath: copy.path) else { return false }
    end()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + suffix) }
    try FileManager.default.copyItem(at: copy, to: database)
    return true
  }

  /// Makes new keys of the issuer.
  ///
  /// - Returns: The number of their generation.
  func rotateKeys(acceptedFor seconds: Int, _ place: Int) async throws -> Int {
    let process = try await started(place)
    let keys = KeyAdministration(store: process.store, clock: clock, random: SeededRandomSource(seed: seeds.next()))
    return try await keys.rotate(.issuer, acceptedFor: seconds)
  }

  /// Gives the processes another number of uses in a delivery of keys. Only one of them reads it at once, as when an operator
  /// has reloaded one server of two.
  func reload(uses: Int, _ place: Int) async throws -> String {
    configuration.issuer.uses = uses
    let outcome = try await started(place).service.reload(configuration, operatorToken: Self.operatorToken)
    return outcome.files.joined(separator: ", ")
  }

  private func started(_ place: Int) async throws -> Process {
    if let process = running[place] { return process }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let life = Mortality()
    let store = MortalAccessStore(base: try SQLiteAccessStore(path: database.path), life: life)
    let random = SeededRandomSource(seed: seeds.next())
    let service = try await AccessService(
      store: store, configuration: configuration, url: ServerURL(origin), operatorToken: Self.operatorToken,
      clock: clock, random: random, hashing: SecretHashing(.minimal, random: random))
    let process = Process(service: ReloadableService(service), store: store, life: life)
    running[place] = process
    return process
  }
}
