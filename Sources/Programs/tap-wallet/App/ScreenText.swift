import WalletAccess

extension FirstScreen {
  /// The screen for people: in a few words, and what it states.
  var words: (title: String, sentence: String) {
    switch self {
    case .welcome: ("Welcome", "This device has no wallet of this issuer.")
    case .pin: ("PIN", "Log in by PIN.")
    case .biometric: ("Biometrics", "Log in by biometrics, or by PIN.")
    case .password: ("Password", "Log in by user name and password.")
    case .deactivated: ("Deactivated", "The issuer has deactivated this device: ask the issuer.")
    case .wallet: ("Wallet", "You are logged in.")
    case .update: ("Update", "The issuer does not serve this version any more.")
    case .unreached:
      ("Server not reached", "The issuer has not answered whether this device is registered; status asks again.")
    }
  }
}

extension AllowedActions.Action {
  /// The command of the action, with what it does.
  var help: (command: String, text: String) {
    switch self {
    case .enrol: ("enrol", "enrol a new wallet, or go on with an interrupted enrolment")
    case .login: ("login", "log in; --pin, --biometric or --password chooses the way")
    case .forgot: ("forgot pin|password", "replace what you have forgotten")
    case .pay: ("pay --link LINK", "pay: verification, arming and tap; Ctrl-C cancels")
    case .cards: ("cards list|add", "list the cards, or add one")
    case .replenish: ("replenish", "get payment keys")
    case .history: ("history", "show the payments")
    case .biometric: ("biometric on|off|prefer|status", "biometric login")
    case .timeout: ("timeout SECONDS", "your own limit of inactivity; 0 for the issuer's")
    case .changePIN: ("change-pin", "change the PIN of the wallet")
    case .profile: ("profile show|set", "your names and your telephone number at the issuer")
    case .lost: ("lost list|remove", "list and unlink the devices of a wallet")
    case .logout: ("logout", "log out")
    case .unlink: ("unlink", "unlink this device, and remove what it keeps of the wallet")
    }
  }
}
