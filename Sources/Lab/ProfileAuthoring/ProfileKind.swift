internal import CardFaults
public import Documents
internal import EMVCard
internal import EMVData
internal import EMVTerminal
internal import ISO7816
public import JSON
internal import Octets

/// A kind of profile: its keys, and the check of a file.
public struct ProfileKind: Sendable {
  /// One problem of a profile.
  public struct Problem: Equatable, Encodable, Sendable {
    /// The line, from 1; nil for a problem of the whole document.
    public let line: Int?
    /// The column in characters, from 1; nil with `line`.
    public let column: Int?
    /// The place in the document, such as `applications[0].aip`; empty for the document itself.
    public let path: String
    /// What is wrong, with the value and the limit.
    public let message: String

    init(_ position: JSONPosition?, _ path: String, _ message: String) {
      (line, column) = (position?.line, position?.column)
      self.path = path
      self.message = message
    }

    /// The problem as compilers write it, so that editors find the place: `card.json:9:14: applications[0].aip: …`.
    public func text(in file: String) -> String {
      let place = [file] + [line, column].compactMap { $0.map(String.init) }
      return "\(place.joined(separator: ":")): " + (path.isEmpty ? "" : "\(path): ") + message
    }
  }

  /// The result of a check.
  public enum Finding: Equatable, Sendable {
    /// What a profile without problems has, such as "1 application", and what its author may not have meant.
    case valid(String, notes: [Problem])
    /// All problems, in the order of the document.
    case problems([Problem])
  }

  /// The name for people, such as `card profile`.
  public let name: String
  /// The title of the schema.
  public let title: String
  /// The declared keys.
  public let keys: [ProfileKey]
  /// Checks a profile as the program does that uses it.
  public let check: @Sendable ([UInt8]) -> Finding

  /// The keys as a JSON Schema.
  public var schema: JSONValue { ProfileKey.schema(of: keys, title: title) }
}

extension ProfileKind {
  /// Card profiles.
  public static let card = ProfileKind(
    name: "card profile", title: "Card profile",
    keys: CardProfile.keys(schemes: CardScheme.shipped) + [CardFaultPlan.profileKey],
    check: { json in
      do throws(CardProfileError) {
        let image = try CardFaultPlan.checkedImage(json: json)
        let problems = CardPlausibility.problems(of: image, in: try? JSONValue(parsing: json))
        return problems.isEmpty
          ? .valid(image.applications.count.counted("application"), notes: []) : .problems(problems)
      } catch {
        return .problems(error.problems.map { Problem($0.position, $0.path, $0.message) })
      }
    })

  /// Terminal profiles.
  public static let terminal = ProfileKind(
    name: "terminal profile", title: "Terminal profile", keys: TerminalConfiguration.keys(),
    check: { json in
      do throws(TerminalProfileError) {
        let configuration = try TerminalConfiguration(json: json)
        let currencies = configuration.currencies.map(\.alphabeticCode).joined(separator: ", ")
        return .valid(
          "\(configuration.combinations.count.counted("AID")), \(currencies)", notes: zeroAmountNotes(json))
      } catch {
        return .problems(
          error.problems.map {
            Problem($0.position, $0.path.hasPrefix("$.") ? String($0.path.dropFirst(2)) : "", $0.reason)
          })
      }
    })

  /// The applications that leave out whether an amount of zero is taken: an absent flag allows it, which surprises the
  /// owner of a till (EMV Contactless Book B v2.11, 3.1.1.4).
  private static func zeroAmountNotes(_ json: [UInt8]) -> [Problem] {
    let applications = (try? JSONValue(parsing: json))?["applications"]
    return (applications?.list ?? []).enumerated().filter { $0.element["zeroAmountAllowed"] == nil }.map {
      index, value in
      Problem(
        value.position, "applications[\(index)]",
        "zeroAmountAllowed is left out, so an amount of zero is taken: write true or false")
    }
  }
}

/// What a card profile can have, and no card of a wallet or of its scheme.
enum CardPlausibility {
  /// The problems of a card whose profile compiles.
  ///
  /// - Parameter profile: The profile with the positions of its values.
  static func problems(of image: CardImage, in profile: JSONValue?) -> [ProfileKind.Problem] {
    var problems: [ProfileKind.Problem] = []
    if image.name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      problems.append(
        ProfileKind.Problem(profile?["name"]?.position, "name", "has a control character, which no wallet takes"))
    }
    // Substitutes of account numbers begin with 0 or 9.
    for (index, application) in image.applications.enumerated() {
      guard let scheme = PaymentScheme.of(application.aid), !scheme.firstDigits.isEmpty,
        let digit = application.accountNumber.exposedDigits.first, !"09".contains(digit),
        !scheme.firstDigits.contains(digit)
      else { continue }
      let digits = scheme.firstDigits.map(String.init).joined(separator: ", ")
      problems.append(
        ProfileKind.Problem(
          profile?["applications"]?.list?[index]["records"]?.position, "applications[\(index)].records",
          "the account number begins with \(digit): those of \(scheme.name) begin with \(digits)"))
    }
    return problems
  }
}
