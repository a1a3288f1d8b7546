import ArgumentParser
import ContactlessPayment
import EMVCard
import Foundation
import WalletDatabase

/// The wallet in a folder that a command works on, and how the command prints.
struct WalletOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The wallet's folder.", valueName: "dir"), completion: .directory)
  var wallet: String
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    guard !wallet.isEmpty else { throw ValidationError("--wallet needs the name of a folder.") }
  }

  /// All cards. Writes a note when the wallet is empty.
  func cards() throws -> [DigitalCard] {
    let cards = try StoredWallet.open(wallet).cards()
    if cards.isEmpty { Console.note("The wallet has no card.") }
    return cards
  }

  /// Prints cards, a line each.
  func show(_ cards: [DigitalCard]) throws {
    for line in cards.map(DigitalCardLine.init) {
      switch format {
      case .json: try Console.print(json: line)
      case .text: Console.print(line.text)
      }
    }
  }

  /// Prints the keys of cards.
  func showKeys(_ cards: [DigitalCard]) throws {
    for line in cards.map(KeyLine.init) {
      switch format {
      case .json: try Console.print(json: line)
      case .text: Console.print(line.text)
      }
    }
  }

  /// Opens the wallet, does something and prints the card that it was done to.
  func change(_ id: String, _ body: (SQLiteWalletStore) throws -> Void) throws {
    try Console.reportingErrors {
      let store = try StoredWallet.open(wallet)
      try body(store)
      try show(store.cards().filter { $0.id == id })
    }
  }

}

enum StoredWallet {
  /// Opens a wallet that is there; only `tap wallet add` makes one.
  static func open(_ directory: String) throws -> SQLiteWalletStore {
    guard FileManager.default.fileExists(atPath: directory + "/" + SQLiteWalletStore.fileName) else {
      let isClosed = !FileManager.default.isExecutableFile(atPath: directory)
      if isClosed, FileManager.default.fileExists(atPath: directory) {
        throw FileError(description: "\(directory) cannot be searched for a wallet: check what it is, and its owner")
      }
      throw FileError(description: "\(directory) holds no wallet: tap wallet add makes one")
    }
    return try SQLiteWalletStore(directory: directory)
  }
}

extension StoredWallet {
  /// The card of a name, which must be there, or the default card, if there is one.
  static func card(_ id: String?, in directory: String) throws -> DigitalCard? {
    let cards = try open(directory).cards()
    guard let id else { return cards.first(where: \.isDefault) }
    guard let card = cards.first(where: { $0.id == id }) else { throw WalletStoreError.unknownCard(id) }
    return card
  }
}

/// A card of a wallet, as a line; without its account numbers.
struct DigitalCardLine: Encodable {
  let card: String
  let name: String
  let state: String
  let isDefault: Bool
  let paymentsLeft: Int
  let applications: [String]

  init(_ card: DigitalCard) {
    self.card = card.id
    name = card.image.name
    state = card.state.rawValue
    isDefault = card.isDefault
    paymentsLeft = card.paymentsLeft
    applications = card.image.applications.map { "\($0.aid)" }
  }

  /// The line of text.
  var text: String {
    "\(card): \(name), \(state)\(isDefault ? ", default" : ""), payments left: \(paymentsLeft)"
  }
}

extension Console {
  /// Runs a command's work; an error becomes a sentence on standard error and exit code 1.
  static func reportingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw fail("\(error)")
    }
  }
}
