public import ArgumentParser
public import ContactlessPayment
import DeviceAuthentication
import EMVIssuer
import Octets
import PaymentSimulation
import ProgramSupport
import WalletDatabase

/// Options for the keys that the test issuer provisions.
struct KeyOptions: ParsableArguments {
  @Option(help: "The kind of the keys.")
  var keys: PaymentKeyKind?
  @Option(
    help: "For how many payments: 1 to 65535, single-use keys 1 to 1000; as the profile says when left out.")
  var uses: Int?
  @Option(
    help: ArgumentHelp(
      "The first day (UTC) on which the keys no longer pay, such as 2027-01-31; never when left out.", valueName: "date"
    ))
  var expires: ExpiryDate?
  @OptionGroup var issuer: IssuerKeyOptions

  func validate() throws {
    try require("--uses", uses, in: 1...(keys == .singleUse ? PaymentKeys.maximumSingleUseCount : 65_535))
    let today = SystemWallClock().now
    if let expires, expires.moment <= today {
      throw ValidationError(
        "--expires \(ExpiryDate.day(of: expires.moment)): the day is past or today, which is \(ExpiryDate.day(of: today)) (UTC)."
      )
    }
  }

  /// The service that gives the keys to the cards of a wallet. It grants no counter twice.
  ///
  /// - Throws: `FileError` for an issuer's keys that cannot be read.
  func provisioning(inWallet directory: String) throws -> TestIssuerProvisioning {
    var provisioning = TestIssuerProvisioning(
      issuer: TestIssuer(keys: try issuer.keys() ?? .publicTest), kind: keys, uses: uses, expiry: expires?.moment)
    provisioning.counters = GrantedCounters(directory: directory)
    return provisioning
  }
}

/// Gets keys for a card.
struct WalletReplenishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replenish",
    abstract: "Get keys for a card from the test issuer, when it has no more left than its threshold.",
    help: CommandHelp(
      """
      The new keys are of the kind that was added to the card last, unless --keys gives another kind.
      """,
      examples: [
        "tap wallet replenish --wallet purse card": "Get keys, when they are needed.",
        "tap wallet replenish --wallet purse card --force --uses 10": "Get keys for ten payments now.",
      ],
      exits: WalletCommand.exits))

  @OptionGroup var options: WalletOptions
  @OptionGroup var keys: KeyOptions
  @Flag(help: "Also when more payments are left than the threshold.")
  var force = false
  @Argument(help: "The card.")
  var id: String

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      let store = try await options.place.unlockedStore()
      guard try store.binding() != nil else { throw WalletStoreError.unknownCard(id) }
      let wallet = try await options.place.open(store, replenishment: keys.provisioning(inWallet: options.wallet))
      let outcome = try await wallet.replenish(digitalCardID: id, isForced: force)
      if case .notNeeded(let left) = outcome {
        Console.note("Nothing to do: \(left) payments are left, more than the threshold. --force asks all the same.")
      }
      try options.showKeys(store.cards().filter { $0.id == id })
    }
  }
}

extension PaymentKeyKind: ExpressibleByArgument {
  /// Reads `limited-use` or `single-use`.
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = kind
  }

  /// `limited-use` and `single-use`.
  public static var allValueStrings: [String] { allCases.map(\.argument) }

  var argument: String {
    switch self {
    case .limitedUse: "limited-use"
    case .singleUse: "single-use"
    }
  }
}

/// The day on which keys expire, such as `2027-01-31`: they expire at midnight UTC, when the day begins.
public struct ExpiryDate: ExpressibleByArgument {
  let moment: WallTime

  /// Reads a day of the years 1970 to 2049; nil for any other text.
  public init?(argument: String) {
    guard argument.utf8.count == 10, let day = CalendarTime(argument), (1970...2049).contains(day.year) else {
      return nil
    }
    moment = day.utc
  }

  /// A moment as text, such as `2027-01-31T00:00:00Z`.
  static func text(_ moment: WallTime) -> String { moment.iso8601 }

  /// The day of a moment in UTC, such as `2027-01-31`.
  static func day(of moment: WallTime) -> String { String(moment.iso8601.prefix(10)) }
}
