import ArgumentParser
import Documents
import JSON
import MobileAuthentication
import ProgramSupport

/// What this program demands of a new PIN or password of an authenticator. The rules of a wallet's PIN and password are the
/// issuer's.
struct EntryRules: Equatable, Sendable {
  /// The digits of a PIN; nil for those of `PinPolicy.standard`.
  var pin: ClosedRange<Int>?
  /// The characters of a password; nil for those of `PasswordRules.standard`.
  var password: ClosedRange<Int>?
  /// The kinds of characters of a password; nil for those of `PasswordRules.standard`.
  var kinds: [PasswordRules.Kind]?

  var pinPolicy: PinPolicy {
    pin.map { PinPolicy(minimumLength: $0.lowerBound, maximumLength: $0.upperBound) } ?? .standard
  }

  var passwordRules: PasswordRules {
    let standard = PasswordRules.standard
    let lengths = password ?? standard.minimumLength...standard.maximumLength
    return PasswordRules(
      minimumLength: lengths.lowerBound, maximumLength: lengths.upperBound,
      required: kinds.map { Set($0) } ?? standard.required)
  }

  /// What a new value must be like, for people.
  func sentence(for kind: SecretKind) -> String {
    switch kind {
    case .pin: pinPolicy.rule
    case .password: passwordRules.rule
    }
  }

  /// Why no password can follow the rules; nil for rules that can be followed.
  var contradiction: String? {
    let standard = PasswordRules.standard
    let (most, needed) = (
      password?.upperBound ?? standard.maximumLength, kinds.map { Set($0).count } ?? standard.required.count
    )
    return most < needed ? "a password of at most \(most) characters cannot have \(needed) kinds of them" : nil
  }
}

extension EntryRules {
  /// Reads lengths such as `6` or `4-8`.
  ///
  /// - Throws: `ValidationError` with the limit.
  static func lengths(_ text: String, in range: ClosedRange<Int>, of name: String) throws -> ClosedRange<Int> {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
    guard let first = parts.first, let least = first, let most = parts.count == 1 ? least : parts[1] else {
      throw ValidationError("\(text): a number such as 6, or a least and a greatest one such as 4-8, is needed.")
    }
    guard least <= most else { throw ValidationError("\(text): the least number is above the greatest.") }
    guard range.contains(least), range.contains(most) else {
      throw ValidationError("\(text): \(name) has \(range.lowerBound) to \(range.upperBound).")
    }
    return least...most
  }

  /// Reads kinds of characters such as `capital,number`; `none` for no kinds.
  static func kinds(_ text: String) throws -> [PasswordRules.Kind] {
    if text == "none" { return [] }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let kind = PasswordRules.Kind(rawValue: String(name)) else {
        let names = PasswordRules.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("\(name) is no kind of character: \(names), or none.")
      }
      return kind
    }
  }
}

// The rules in the settings of a folder.
extension EntryRules {
  init(reading reader: inout ObjectReader) {
    pin = Self.member("pinLength", &reader) { try Self.lengths($0, in: PinPolicy.lengthRange, of: "a PIN") }
    password = Self.member("passwordLength", &reader) {
      try Self.lengths($0, in: PasswordRules.lengthRange, of: "a password")
    }
    kinds = Self.member("passwordKinds", &reader, Self.kinds)
    if let contradiction { reader.note("passwordKinds", contradiction) }
  }

  private static func member<Value>(
    _ name: String, _ reader: inout ObjectReader, _ read: (String) throws -> Value
  ) -> Value? {
    guard let text = reader.optionalText(name, characters: 1...64) else { return nil }
    do {
      return try read(text)
    } catch {
      reader.note(name, "\(error)")
      return nil
    }
  }

  var members: [(String, JSONValue?)] {
    [
      ("pinLength", pin.map { JSONValue("\($0.lowerBound)-\($0.upperBound)") }),
      ("passwordLength", password.map { JSONValue("\($0.lowerBound)-\($0.upperBound)") }),
      ("passwordKinds", kinds.map { JSONValue($0.isEmpty ? "none" : $0.map(\.rawValue).joined(separator: ",")) }),
    ]
  }
}

/// The options for `EntryRules`.
struct EntryRuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("How many digits a new PIN of an authenticator has, 4 to 64; stored; 6.", valueName: "min-max"),
    transform: { try EntryRules.lengths($0, in: PinPolicy.lengthRange, of: "a PIN") })
  var pinLength: ClosedRange<Int>?
  @Option(
    help: ArgumentHelp(
      "How many characters a new password of an authenticator has, 1 to 256; stored; 10-256.", valueName: "min-max"),
    transform: { try EntryRules.lengths($0, in: PasswordRules.lengthRange, of: "a password") })
  var passwordLength: ClosedRange<Int>?
  @Option(
    help: ArgumentHelp(
      "What a new password needs of capital, small, number, special; or none; stored; capital,number.",
      valueName: "kinds"),
    transform: EntryRules.kinds)
  var passwordKinds: [PasswordRules.Kind]?

  /// The stored rules with those of the options, which are stored.
  ///
  /// - Throws: `CommandFailure` for rules that no password can follow.
  func stored(in run: WalletRun) throws(CommandFailure) -> EntryRules {
    var stored = try Settings(in: run.options.state)
    let former = stored.rules
    stored.rules.pin = pinLength ?? former.pin
    stored.rules.password = passwordLength ?? former.password
    stored.rules.kinds = passwordKinds ?? former.kinds
    if let contradiction = stored.rules.contradiction { throw CommandFailure.invalidArgument(contradiction) }
    if stored.rules != former { try stored.write(in: run.options.state) }
    return stored.rules
  }
}
