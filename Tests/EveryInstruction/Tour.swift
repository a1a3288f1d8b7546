import Foundation
import Links
import Synchronization

/// All walks, one row after the other.
final class Tour {
  private let plan: WalkPlan
  private let only: [String]
  private let lanes: [Walker]
  private(set) var rows: [WalkRow] = []
  var faults: [String] = []
  private var names: FunctionNames?

  /// - Parameters:
  ///   - only: The beginnings of the rows that are wanted; empty for all.
  ///   - lanes: How many cards are stepped at the same time.
  ///   - isControl: Whether the page of withdrawals is taken away from the cards.
  ///   - folder: A folder for wallets.
  init(plan: WalkPlan, only: [String], lanes: Int, isControl: Bool, in folder: String) throws {
    (self.plan, self.only) = (plan, only)
    self.lanes = try (0..<lanes).map { try Walker(in: "\(folder)/\($0)", processor: $0, isControl: isControl) }
  }

  func run() async throws {
    for command in try WalkedCommand.all() { try await walk(command) }
    for command in try [WalkedCommand.offlineApproval(), WalkedCommand.all()[0]] { try await kill(command) }
    try await killWriting(try WalkedCommand.all()[0])
  }

  private func isWanted(_ subject: String, _ act: String) -> Bool {
    only.isEmpty || only.contains { "\(subject): \(act)".hasPrefix($0) || act == $0 }
  }

  /// Changes the wallet at the positions of a command.
  private func walk(_ command: WalkedCommand) async throws {
    let changes = Change.allCases.filter { isWanted(command.name, $0.text) }
    guard !changes.isEmpty else { return }
    let template = try await lanes[0].prepare(command)
    let path = try await path(of: command, from: template)
    for change in changes {
      // All withdrawals take the way of the first one.
      let share = change == .suspend ? 1 : change == .control ? 4 : 20
      let stops = try await inLanes(plan.positions(of: path, share: share)) { walker, position in
        WalkRow.Stop(try walker.visit(position, of: path.count - 1, command, from: template, change))
      }
      add(stops, to: WalkRow(command.name, change.text, length: path.count - 1), path)
    }
  }

  /// Kills the card's process at the positions of a command.
  private func kill(_ command: WalkedCommand) async throws {
    guard isWanted(command.name, "kill") else { return }
    let template = try await lanes[0].prepare(command)
    let path = try await path(of: command, from: template)
    let stops = try await inLanes(plan.positions(of: path, share: 8)) { walker, position in
      WalkRow.Stop(position, fault: try walker.kill(position, of: path.count - 1, command, from: template))
    }
    add(stops, to: WalkRow(command.name, "kill", length: path.count - 1), path)
  }

  /// Kills processes at each of their writes.
  private func killWriting(_ command: WalkedCommand) async throws {
    let template = try await lanes[0].prepare(command)
    for change in [nil] + Change.allCases.filter({ $0.notice == .handshake }).map(Optional.some) {
      let subject = "write of \(change.map { "“\($0.text)”" } ?? "a reservation")"
      guard isWanted(subject, "kill") else { continue }
      let length = try await inLanes([Int.max]) {
        try $0.killWriting(change, before: $1, command, from: template).writes
      }
      let stops = try await inLanes(Array(0...(length.first ?? 0))) { walker, position in
        WalkRow.Stop(position, fault: try walker.killWriting(change, before: position, command, from: template).fault)
      }
      add(stops, to: WalkRow(subject, "kill", length: length.first ?? 0), [])
    }
  }

  /// The places of the instructions of a command.
  private func path(of command: WalkedCommand, from template: CardPlace) async throws -> [SteppedThread.Place] {
    try await eachLane { try $0.warmUp(command, from: template) }
    return try await inLanes([0]) { walker, _ in try walker.path(of: command, from: template) }.first ?? []
  }

  private func add(_ stops: [WalkRow.Stop], to empty: WalkRow, _ path: [SteppedThread.Place]) {
    var row = empty
    row.add(stops)
    FileHandle.standardError.write(Data("\(row.subject): \(row.act): \(row.stops.count) positions\n".utf8))
    if row.count(.fault) > 0, names == nil { names = FunctionNames(of: lanes[0].holder.number) }
    faults += row.faults { position in
      let name = position < path.count ? names?.name(at: path[position].address) : nil
      return name.map { " in \($0)" } ?? ""
    }
    rows.append(row)
  }
}

// Lanes: each has a thread of its own, since one thread makes all calls of ptrace for a process.
extension Tour {
  /// Does a work for each position, in all lanes. The results are in no order.
  private func inLanes<Result: Sendable>(
    _ positions: [Int], _ work: @escaping @Sendable (Walker, Int) throws -> Result
  ) async throws -> [Result] {
    let shared = SharedWork<Result>(positions)
    try await eachLane { walker in
      while let position = shared.next() { shared.add(try work(walker, position)) }
    }
    return shared.results
  }

  /// Does a work once in each lane.
  private func eachLane(_ work: @escaping @Sendable (Walker) throws -> Void) async throws {
    let threads = lanes.map { walker in
      DedicatedThread(named: "lane") { () throws in
        walker.enter()
        try work(walker)
      }
    }
    for thread in threads { try await thread.value() }
  }
}

/// The positions that no lane has taken yet, and the results of the others.
private final class SharedWork<Result: Sendable>: Sendable {
  private let state: Mutex<(open: ArraySlice<Int>, results: [Result])>

  init(_ positions: [Int]) { state = Mutex((positions[...], [])) }

  func next() -> Int? { state.withLock { $0.open.popFirst() } }

  func add(_ result: Result) { state.withLock { $0.results.append(result) } }

  var results: [Result] { state.withLock { $0.results } }
}
