internal import Links
internal import PaymentAcceptance

/// The commands of a payment that a card answers in the same way any number of times: those before the command that spends
/// its use, and those after it. That command itself is answered once for each arming.
struct RepeatedCommands: Sendable {
  private let warmUp: Int
  private let rounds: Int
  private var before: CommandRepetition
  private var after: CommandRepetition

  init(of exchanges: [Exchange], rounds: Int, warmUp: Int) {
    (self.rounds, self.warmUp) = (rounds, warmUp)
    let spending = Self.spendingIndex(of: exchanges)
    before = CommandRepetition(of: exchanges[..<spending].filter(Self.isRepeatable), rounds: rounds)
    after = CommandRepetition(of: exchanges[spending...].dropFirst().filter(Self.isRepeatable), rounds: rounds)
  }

  /// The times of each command.
  var rows: [Samples] { before.rows + after.rows.filter { row in !before.rows.contains { $0.name == row.name } } }

  mutating func runBefore<Channel: CardChannel & ~Copyable>(
    over channel: inout Channel, progress: (Int) -> Void
  ) throws(LinkError) {
    try before.run(over: &channel, rounds: warmUp, isTimed: false)
    try before.run(over: &channel, rounds: rounds) { progress($0 / 2) }
  }

  mutating func runAfter<Channel: CardChannel & ~Copyable>(
    over channel: inout Channel, progress: (Int) -> Void
  ) throws(LinkError) {
    try after.run(over: &channel, rounds: warmUp, isTimed: false)
    try after.run(over: &channel, rounds: rounds) { progress(rounds - rounds / 2 + $0 / 2) }
  }

  /// GENERATE AC or COMPUTE CRYPTOGRAPHIC CHECKSUM, and without either GET PROCESSING OPTIONS.
  private static func spendingIndex(of exchanges: [Exchange]) -> Int {
    let instructions = exchanges.map { $0.command.count > 1 ? $0.command[1] : 0 }
    return instructions.firstIndex { $0 == 0xAE || $0 == 0x2A } ?? instructions.firstIndex(of: 0xA8) ?? exchanges.count
  }

  /// A card answers EXCHANGE RELAY RESISTANCE DATA a few times only: it draws its random numbers beforehand.
  private static func isRepeatable(_ exchange: Exchange) -> Bool {
    exchange.command.count > 1 && exchange.command[1] != 0xEA
  }
}
