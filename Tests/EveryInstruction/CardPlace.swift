import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import Octets
import PaymentSimulation
import WalletDatabase

/// The folder of one armed card: a wallet with one card, and the file of its device.
struct CardPlace {
  /// The name of the card.
  static let card = "card"
  /// The origin of its issuer.
  static let issuer = "https://issuer.example"

  /// The path of the folder.
  let folder: String

  /// The folder of the wallet.
  var wallet: String { folder + "/wallet" }
  /// The address at which the terminal waits for the card.
  var link: String { folder + "/link" }

  /// Its device, on which the cardholder approves each prompt.
  func device() throws -> StoredDevice { try StoredDevice(path: folder + "/device") }

  /// Its wallet, which is not open.
  func makeWallet(clock: any MonotonicClock = SystemClock()) throws -> Wallet {
    // With the same random bytes each time, a command takes the same instructions each time.
    Wallet(
      store: try SQLiteWalletStore(directory: wallet), device: try device().ports, clock: clock,
      random: SeededRandomSource(seed: 1))
  }

  /// Sets up device and wallet in a new folder.
  func setUp(_ image: CardImage, uses: Int = 9) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try device().apply([.setPasscode, .enrolBiometric])
    let (wallet, provisioning) = (try makeWallet(), TestIssuerProvisioning(uses: uses))
    try await wallet.configure(.biometricOnly)
    try await wallet.add(
      Self.card, image, keys: provisioning.keys(for: image), issuer: Self.issuer,
      signingKey: provisioning.signingKey(for: image))
  }

  /// Copies device and wallet to another folder.
  func copy(to other: CardPlace) throws {
    try FileManager.default.createDirectory(atPath: other.folder, withIntermediateDirectories: true)
    for name in ["device", "wallet"] {
      try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: other.folder + "/" + name)
    }
  }

  /// Removes the page on which armed cards find withdrawals. Those that have mapped it do not notice that at once.
  func removePage() { try? FileManager.default.removeItem(atPath: wallet + "/wallet.withdrawals") }

  /// Removes the folder.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
