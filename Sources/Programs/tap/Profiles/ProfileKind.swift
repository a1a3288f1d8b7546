import EMVCard
import EMVTerminal
import JSON

/// A kind of profile: what `tap card` and `tap terminal` have in common.
struct ProfileKind: Sendable {
  /// One problem of a profile.
  struct Problem: Encodable {
    let line: Int?
    let column: Int?
    /// The place in the document, such as `applications[0].aip`; empty for the document itself.
    let path: String
    let message: String

    init(_ position: JSONPosition?, _ path: String, _ message: String) {
      (line, column) = (position?.line, position?.column)
      self.path = path
      self.message = message
    }

    /// The problem as compilers write it, so that editors find the place: `card.json:9:14: applications[0].aip: …`.
    func text(in file: String) -> String {
      let place = [file] + [line, column].compactMap { $0.map(String.init) }
      return "\(place.joined(separator: ":")): " + (path.isEmpty ? "" : "\(path): ") + message
    }
  }

  /// The result of a check.
  enum Finding {
    /// What a profile without problems has, such as "1 application".
    case valid(String)
    case problems([Problem])
  }

  /// The name for people, such as `card profile`.
  let name: String
  /// The title of the schema.
  let title: String
  /// The declared keys.
  let keys: [ProfileKey]
  /// Checks a profile as the program does that uses it.
  let check: @Sendable ([UInt8]) -> Finding

  /// The keys as a table.
  var table: ProfileKeyTable { ProfileKeyTable(keys) }

  /// The keys as a JSON Schema.
  var schema: JSONValue { ProfileKey.schema(of: keys, title: title) }
}

extension ProfileKind {
  static let card = ProfileKind(
    name: "card profile", title: "Card profile", keys: CardProfile.keys(schemes: CardScheme.shipped),
    check: { json in
      do throws(CardProfileError) {
        let image = try CardImage(json: json)
        _ = try CardFaultPlan(of: CardProfile(json: json))
        return .valid(counted(image.applications.count, "application"))
      } catch {
        return .problems(error.problems.map { Problem($0.position, $0.path, $0.message) })
      }
    })

  static let terminal = ProfileKind(
    name: "terminal profile", title: "Terminal profile", keys: TerminalConfiguration.keys(),
    check: { json in
      do throws(TerminalProfileError) {
        let configuration = try TerminalConfiguration(json: json)
        let currencies = configuration.currencies.map(\.alphabeticCode).joined(separator: ", ")
        return .valid("\(counted(configuration.combinations.count, "AID")), \(currencies)")
      } catch {
        return .problems(
          error.problems.map {
            Problem($0.position, $0.path.hasPrefix("$.") ? String($0.path.dropFirst(2)) : "", $0.reason)
          })
      }
    })

  private static func counted(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
