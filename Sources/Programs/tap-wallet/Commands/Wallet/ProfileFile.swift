import AccessMessages
import Documents
import FIDOUAF
import JSON
import ProgramSupport

/// The profile of a user in a file, perhaps without secrets. Without a file all members are asked for.
struct ProfileFile: Sendable {
  private let path: String?
  private let json: JSONValue

  /// Reads the file, which must have the members that are no secrets.
  ///
  /// - Parameter path: The file; nil for none.
  init(path: String?) throws(CommandFailure) {
    self.path = path
    guard let path else {
      json = [:]
      return
    }
    let octets = try OptionFiles.read(path)
    do throws(JSONError) {
      json = try JSONValue(parsing: octets)
      guard json.members != nil else { throw json.mismatch(expected: "an object") }
    } catch { throw CommandFailure("Profile", "\(path): \(error)", .notRight) }
    for member in ProfileEntry.allCases {
      guard let value = json[member.rawValue]?.text else { throw failure("\(member.rawValue): a text is needed") }
      if let reason = member.shortcoming(of: value) { throw failure("\(member.rawValue): \(reason)") }
    }
  }

  /// The text of a member; nil when the file has none.
  func text(_ name: String) -> String? { json[name]?.text }

  /// The answers of the file; nil without any.
  func answers() throws(CommandFailure) -> [UserProfile.Answer]? {
    guard let list = json["answers"]?.list else { return nil }
    do throws(DocumentError) {
      return try list.map { (json) throws(DocumentError) in try UserProfile.Answer(json) }
    } catch { throw failure("answers: \(error)") }
  }

  /// The whole profile, with members in place of those of the file.
  func profile(_ own: [String: JSONValue]) throws(CommandFailure) -> UserProfile {
    let others = (json.members ?? []).filter { own[$0.key] == nil }.map { ($0.key, $0.value) }
    do throws(DocumentError) {
      return try UserProfile(JSONValue(members: others + own.map { ($0.key, $0.value) }))
    } catch { throw failure("\(error)") }
  }

  private func failure(_ reason: String) -> CommandFailure {
    CommandFailure("Profile", "\(path.map { $0 + ": " } ?? "")\(reason)", .notRight)
  }
}

/// A member of a profile that is no secret.
enum ProfileEntry: String, CaseIterable {
  case firstName
  case lastName
  case email
  case phone

  /// The question for people.
  var question: String {
    switch self {
    case .firstName: "First name"
    case .lastName: "Last name"
    case .email: "E-mail address, your user name"
    case .phone: "Telephone number"
    }
  }

  /// Returns why a value is refused; nil for one that is accepted.
  func shortcoming(of value: String) -> String? {
    let range =
      switch self {
      case .firstName, .lastName: UserProfile.nameRange
      case .email: UserProfile.emailRange
      case .phone: UserProfile.phoneRange
      }
    guard range.contains(value.utf16.count) else {
      return "\(range.lowerBound) to \(range.upperBound) characters are needed"
    }
    switch self {
    case .firstName, .lastName: return UserProfile.nameShortcoming(value)
    case .email: return UserProfile.emailShortcoming(value)
    case .phone: return UserProfile.phoneShortcoming(value)
    }
  }
}
