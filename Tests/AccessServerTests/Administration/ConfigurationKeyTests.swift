import Documents
import Fixtures
import JSON
import Testing

@testable import AccessServer

@Suite("The keys of a configuration")
struct ConfigurationKeyTests {
  /// A key that has no keys below it, with its path such as `questions[0].id`.
  struct Leaf {
    let path: [String]
    let key: ProfileKey

    var text: String { "$." + path.joined(separator: ".").replacing(".[0]", with: "[0]") }
  }

  static let leaves = leaves(ConfigurationKeys.all, [])

  private static func leaves(_ keys: [ProfileKey], _ path: [String]) -> [Leaf] {
    keys.flatMap { key -> [Leaf] in
      switch key.kind {
      case .object(let keys): leaves(keys, path + [key.name])
      case .list(.object(let keys), _): leaves(keys, path + [key.name, "[0]"])
      default: [Leaf(path: path + [key.name], key: key)]
      }
    }
  }

  /// The objects of a configuration, with the document itself as the empty path.
  static let objects: [[String]] = leaves.reduce(into: []) { objects, leaf in
    let path = Array(leaf.path.dropLast())
    if !objects.contains(path) { objects.append(path) }
  }

  /// A document with a value at a path.
  static func document(_ path: some Collection<String>, _ value: JSONValue) -> JSONValue {
    guard let first = path.first else { return value }
    let inner = document(path.dropFirst(), value)
    return first == "[0]" ? [inner] : JSONValue(members: [(first, inner)])
  }

  static func problems(_ document: JSONValue) -> [String] { ConfigurationTests.problems(document.compact) }

  /// A value of another kind than the key's.
  static func wrong(_ key: ProfileKey) -> JSONValue { key.kind == .integer ? "7" : 5 }

  /// Adds a value to a document.
  static func merged(_ first: JSONValue, _ second: JSONValue) -> JSONValue {
    if let left = first.list?.first, let right = second.list?.first { return [merged(left, right)] }
    guard var members = first.members, let more = second.members else { return second }
    for member in more {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        members[index] = .init(member.key, merged(members[index].value, member.value))
      } else {
        members.append(member)
      }
    }
    return JSONValue(.object(members))
  }

  @Test func `a configuration that is wrong in every key has a problem for each, in the order of the text`() {
    let text = Self.leaves.reduce([:] as JSONValue) { Self.merged($0, Self.document($1.path, Self.wrong($1.key))) }
    #expect(Self.leaves.count == 52)
    #expect(Self.problems(text) == Self.leaves.map(\.text))
  }

  @Test(arguments: leaves.indices)
  func `a value of another kind is one problem at its key`(_ index: Int) {
    let leaf = Self.leaves[index]
    #expect(Self.problems(Self.document(leaf.path, Self.wrong(leaf.key))).contains(leaf.text))
  }

  /// A value at a limit of a key: a number, or a text or a list of this length.
  static func value(_ number: Int, _ key: ProfileKey) -> JSONValue? {
    switch key.kind {
    case .integer: JSONValue(number)
    case .text: JSONValue(String(repeating: "x", count: number))
    case .digits: JSONValue(String(repeating: "7", count: number))
    case .url: JSONValue("https://" + String(repeating: "x", count: max(0, number - 8)))
    default: nil
    }
  }

  static let limited = leaves.filter { $0.key.range != nil }

  @Test(arguments: limited.indices)
  func `a value outside the range of a key is a problem, and its limits are not`(_ index: Int) throws {
    let leaf = Self.limited[index]
    let range = try #require(leaf.key.range)
    // Some keys have limits that other keys set.
    let others: [JSONValue] = [
      ["password": ["minimumLength": 1], "pin": ["minimumLength": 4], "uses": 1_000],
      ["questions": JSONValue((0..<256).map { ["id": JSONValue("\($0)"), "text": "?"] })],
    ]
    for (number, isAllowed) in [
      (range.lowerBound - 1, false), (range.lowerBound, true), (range.upperBound, true), (range.upperBound + 1, false),
    ] where number >= 0 || leaf.key.kind == .integer {
      let value = try #require(Self.value(number, leaf.key))
      var text = Self.merged(others[0], Self.document(leaf.path, value))
      if leaf.key.name == "requiredAnswers" { text = Self.merged(text, others[1]) }
      #expect(Self.problems(text).contains(leaf.text) == !isAllowed, "\(leaf.text) \(number)")
    }
  }

  @Test(arguments: objects.indices)
  func `an unknown key is a problem in every object, which names the known keys`(_ index: Int) {
    let path = Self.objects[index]
    let place = (["$"] + path + ["zzz"]).joined(separator: ".").replacing(".[0]", with: "[0]")
    #expect(Self.problems(Self.document(path + ["zzz"], 1)).contains(place))
  }

  @Test func `the reader asks for the declared keys and for no others`() throws {
    do throws(ConfigurationError) {
      _ = try ConfigurationTests.read(#"{"zzz": 1}"#)
    } catch {
      let reason = try #require(error.problems.first?.reason)
      let known = try #require(reason.split(separator: "there are ").last).split(separator: ", ").map(String.init)
      #expect(Set(known) == Set(ConfigurationKeys.all.map(\.name)))
    }
  }

  @Test func `a configuration that is shown reads as the same one, and has every key`() throws {
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let configuration = try ConfigurationTests.read(
      """
      {"appID": "a", "facets": ["b"], "policy": "ios", "url": "https://server.test",
        "origins": ["https://server.test"], "legacySignatures": true, "link": "app://open",
        "trustedProxies": ["10.1.0.0/16", "2001:db8::1"], "cards": [\(card)], "uses": 20, "idleSeconds": 7,
        "appVersions": {"minimum": "1", "latest": "2", "url": "https://server.test/app"}}
      """)
    let shown = configuration.json
    #expect(try ConfigurationTests.read(shown.pretty) == configuration)
    for leaf in Self.leaves where leaf.key != .schemaReference {
      var value: JSONValue? = shown
      for part in leaf.path { value = part == "[0]" ? value?.list?.first : value?[part] }
      #expect(value != nil, "\(leaf.text)")
    }
  }

  @Test func `the schema has a limit for every declared one, and refers to that of card profiles`() throws {
    let properties = try #require(ConfigurationKeys.schema["properties"])
    #expect(properties.members?.map(\.key) == ConfigurationKeys.all.map(\.name))
    #expect(properties["cards"]?["items"]?["$ref"] == "card-profile.schema.json")
    #expect(properties["facets"]?["anyOf"]?.list?.first?["const"] == "*")
    #expect(properties["url"]?["pattern"] == "^https://.*[^/]$")
    #expect(properties["lifetimes"]?["properties"]?["request"]?["maximum"] == 31_536_000)
    #expect(ConfigurationKeys.schema["additionalProperties"] == false)
  }
}
