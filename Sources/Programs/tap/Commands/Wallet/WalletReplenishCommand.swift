import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVIssuer
import Octets
import PaymentSimulation
import ProgramSupport
import WalletDatabase
import WholeFiles

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
    let limit = keys == .singleUse ? PaymentKeys.maximumSingleUseCount : 65_535
    guard uses.map({ (1...limit).contains($0) }) ?? true else {
      throw ValidationError("--uses \(uses ?? 0): the range is 1...\(limit).")
    }
    let today = SystemWallClock().now
    if let expires, expires.moment <= today {
      throw ValidationError(
        "--expires \(ExpiryDate.day(of: expires.moment)): the day is past or today, which is \(ExpiryDate.day(of: today)) (UTC)."
      )
    }
  }

  /// The service that gives the keys.
  ///
  /// - Throws: `FileError` for an issuer's keys that cannot be read.
  func provisioning() throws -> TestIssuerProvisioning {
    TestIssuerProvisioning(
      issuer: TestIssuer(keys: try issuer.keys() ?? .publicTest), kind: keys, uses: uses, expiry: expires?.moment)
  }
}

/// Gets keys for a card.
struct WalletReplenishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replenish",
    abstract: "Get keys for a card from the test issuer, when it has no more left than its threshold.",
    discussion: "The new keys are of the kind that was added to the card last, unless --keys gives another kind.")

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
      let wallet = try await options.place.open(store, replenishment: keys.provisioning())
      let outcome = try await wallet.replenish(digitalCardID: id, isForced: force)
      if case .notNeeded(let left) = outcome {
        Console.note("Nothing to do: \(left) payments are left, more than the threshold. --force asks all the same.")
      }
      try options.showKeys(store.cards().filter { $0.id == id })
    }
  }
}
