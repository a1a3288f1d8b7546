internal import EMVData
internal import FoundationEssentials

extension CardProfile {
  /// Reads a profile.
  ///
  /// - Throws: `CardProfileError` with the place of what is missing or of the wrong type, and of every key that no
  ///   profile has.
  public init(json: [UInt8]) throws(CardProfileError) {
    let (profile, problems) = try Self.read(json)
    guard problems.isEmpty else { throw CardProfileError(problems) }
    self = profile
  }

  /// The profile and the keys in its text that no profile has, as problems: they say what the author believes.
  static func read(_ json: [UInt8]) throws(CardProfileError) -> (CardProfile, [CardProfileError.Problem]) {
    guard json.count <= maximumCount else {
      throw CardProfileError([.init("", "the profile has \(json.count) octets: the limit is \(maximumCount)")])
    }
    let problems = unknownKeys(json)
    do {
      return (try JSONDecoder().decode(CardProfile.self, from: Data(json)), problems)
    } catch let error as DecodingError {
      throw CardProfileError(problems + [CardProfileError.Problem(error, in: json)])
    } catch {
      throw CardProfileError([.init("", jsonFault(in: json))])
    }
  }

  private static func unknownKeys(_ json: [UInt8]) -> [CardProfileError.Problem] {
    guard let keys = try? JSONDecoder().decode(JSONKeys.self, from: Data(json)) else { return [] }
    var problems: [CardProfileError.Problem] = []
    ProfileKeys.profile.check(keys, "", &problems)
    return problems
  }
}

/// The keys of a text of JSON, whatever their values are.
private indirect enum JSONKeys: Decodable {
  case value
  case list([JSONKeys])
  case object([String: JSONKeys])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let members = try? container.decode([String: JSONKeys].self) {
      self = .object(members)
    } else if let elements = try? container.decode([JSONKeys].self) {
      self = .list(elements)
    } else {
      self = .value
    }
  }
}

/// Which keys an object of a profile has, and which objects stand behind them.
private struct ProfileKeys {
  let names: [String]
  let objects: [String: ProfileKeys]

  init(_ names: [String], _ objects: [String: ProfileKeys] = [:]) {
    self.names = names
    self.objects = objects
  }

  static var profile: ProfileKeys {
    ProfileKeys(["format", "name", "applications", "faults"], ["applications": application, "faults": fault])
  }

  private static var fault: ProfileKeys {
    ProfileKeys(
      ["when", "what", "times", "percent", "seed"],
      [
        "when": ProfileKeys(["command", "exchange", "tag"]),
        "what": ProfileKeys(["kind", "status", "keepsData", "by", "octets", "milliseconds"]),
      ])
  }

  private static var application: ProfileKeys {
    ProfileKeys(
      [
        "aid", "label", "priority", "kernel", "pdol", "fci", "issuerDiscretionary", "aip", "cryptogram", "ctq",
        "processingOptions", "optionsFormat", "cryptogramFormat", "relayResistance", "records", "getData", "firstATC",
        "uses",
      ],
      [
        "cryptogram": ProfileKeys(["system", "version", "derivationKeyIndex", "cvr", "further"]),
        "relayResistance": ProfileKeys(["minimum", "maximum", "transmission"]),
        "records": ProfileKeys(["sfi", "record", "data"]),
      ])
  }

  func check(_ keys: JSONKeys, _ path: String, _ problems: inout [CardProfileError.Problem]) {
    switch keys {
    case .value: break
    case .list(let elements):
      for (index, element) in elements.enumerated() { check(element, "\(path)[\(index)]", &problems) }
    case .object(let members):
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        let here = path.isEmpty ? name : path + "." + name
        if !names.contains(name) {
          problems.append(.init(here, "no such key; there are \(names.joined(separator: ", "))"))
        } else if let object = objects[name] {
          object.check(member, here, &problems)
        }
      }
    }
  }
}
