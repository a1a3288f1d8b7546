import ContactlessPayment
import DeviceAuthentication
import Foundation
import WalletDatabase

/// What another process does to the wallet while a card is stopped.
enum Change: String, CaseIterable {
  /// Nothing: the card gives its cryptogram.
  case control
  case suspend
  case retire
  case delete
  /// Removes the cards of an issuer, as the end of a link with its server does.
  case unlink
  case reset
  case removeFolder
  case removeLock
  case removeBiometrics

  /// How a card notices the change.
  enum Notice { case none, handshake, reading }

  var notice: Notice {
    switch self {
    case .control: .none
    case .suspend, .retire, .delete, .unlink, .reset: .handshake
    case .removeFolder, .removeLock, .removeBiometrics: .reading
    }
  }

  /// The change in words.
  var text: String {
    switch self {
    case .control: "nothing"
    case .suspend: "suspend"
    case .retire: "retire"
    case .delete: "delete"
    case .unlink: "unlink"
    case .reset: "reset"
    case .removeFolder: "folder removed"
    case .removeLock: "lock removed"
    case .removeBiometrics: "biometrics removed"
    }
  }

  /// Makes the change.
  ///
  /// - Returns: What could not be done besides.
  func make(in place: CardPlace) async throws -> [WithdrawalWarning] {
    switch self {
    case .control: break
    case .suspend: return try await opened(place).suspend(CardPlace.card)
    case .retire: return try await opened(place).retire(CardPlace.card)
    case .delete: return try await opened(place).delete(CardPlace.card)
    case .unlink: return try await opened(place).deleteCards(of: CardPlace.issuer)
    case .reset: return try await opened(place).reset()
    case .removeFolder: try FileManager.default.removeItem(atPath: place.wallet)
    case .removeLock: try place.device().apply(.disableLockScreen)
    case .removeBiometrics: try place.device().apply(.removeAllBiometrics)
    }
    return []
  }

  private func opened(_ place: CardPlace) async throws -> Wallet {
    let wallet = try place.makeWallet()
    try await wallet.open()
    return wallet
  }
}
