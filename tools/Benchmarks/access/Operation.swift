import ScriptedClient

/// An operation of a client, and what it costs without a server around it.
struct Operation {
  let name: String
  let steps: [ScriptedClient.Step]
  /// The signatures that a server must check.
  let signatures: Int
  /// The PINs that a server must hash.
  let hashes: Int

  init(_ name: String, _ steps: [ScriptedClient.Step], signatures: Int = 0, hashes: Int = 0) {
    (self.name, self.steps, self.signatures, self.hashes) = (name, steps, signatures, hashes)
  }

  /// An operation without a name, which prepares the next one and is not measured.
  init(preparing steps: [ScriptedClient.Step]) { self.init("", steps) }

  /// A user, a device and a wallet, in the order in which they depend on each other.
  static let all = [
    Operation(preparing: [.addUser]),
    Operation("registration", [.requestRegistration, .register], signatures: 1),
    Operation(preparing: [.addDevice]),
    Operation("authentication", [.requestAuthentication, .authenticate], signatures: 1),
    Operation(preparing: [.enrolWallet, .linkDevice]),
    Operation("login by PIN", [.logInByPin], signatures: 1, hashes: 1),
    Operation(preparing: [.addCard]),
    Operation("replenishment", [.replenish], signatures: 1),
  ]
}
