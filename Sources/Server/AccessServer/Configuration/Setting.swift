internal import Documents
internal import JSON

/// A setting of a configuration, declared once: its key with kind, limits, default value and words, and the property that it sets.
/// The reader, the writer, the JSON Schema and the table of keys use it.
struct Setting<Target>: Sendable {
  /// The declared key.
  let key: ProfileKey
  /// Reads the setting into a target, which has the default value before.
  let read: @Sendable (inout ObjectReader, inout Target) -> Void
  /// The value in a document; nil when the setting is not set.
  let value: @Sendable (Target) -> JSONValue?
  /// Whether a change needs a restart of the server.
  private(set) var needsRestart = false

  /// The setting whose change needs a restart.
  var restarting: Setting {
    var setting = self
    setting.needsRestart = true
    return setting
  }

  /// The setting of a part of a larger configuration.
  func of<Whole>(_ part: any WritableKeyPath<Whole, Target> & Sendable) -> Setting<Whole> {
    Setting<Whole>(key: key) { reader, whole in
      read(&reader, &whole[keyPath: part])
    } value: { whole in
      value(whole[keyPath: part])
    }.restarting(needsRestart)
  }

  private func restarting(_ needsRestart: Bool) -> Setting { needsRestart ? restarting : self }
}

/// A part of a configuration that has settings.
protocol Configurable: Sendable {
  /// The values of a document without a key.
  static var defaults: Self { get }
  /// The settings, in the order of the table of keys.
  static var settings: [Setting<Self>] { get }
}

extension Configurable {
  /// The declared keys.
  static var keys: [ProfileKey] { settings.map(\.key) }

  /// The settings as the members of an object.
  var settingValues: [(String, JSONValue?)] { Self.settings.map { ($0.key.name, $0.value(self)) } }

  /// The values of an object, the default ones where it has no key.
  static func read(_ reader: inout ObjectReader) -> Self {
    var found = defaults
    for setting in settings { setting.read(&reader, &found) }
    return found
  }
}

extension Setting where Target: Configurable {
  /// A flag.
  static func flag(
    _ name: String, _ path: any WritableKeyPath<Target, Bool> & Sendable, _ help: String
  ) -> Setting {
    let key = ProfileKey(name, .flag, default: JSONValue(Target.defaults[keyPath: path]), help: help)
    return Setting(key: key) { reader, target in
      target[keyPath: path] = reader.flag(key) ?? target[keyPath: path]
    } value: { target in
      JSONValue(target[keyPath: path])
    }
  }

  /// A number.
  static func number(
    _ name: String, _ path: any WritableKeyPath<Target, Int> & Sendable, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    let key = ProfileKey(
      name, .integer, range: range, default: JSONValue(Target.defaults[keyPath: path]), help: help)
    return Setting(key: key) { reader, target in
      target[keyPath: path] = reader.integer(key) ?? target[keyPath: path]
    } value: { target in
      JSONValue(target[keyPath: path])
    }
  }

  /// A duration in seconds, which the property has in milliseconds.
  static func seconds(
    _ name: String, _ path: any WritableKeyPath<Target, Int64> & Sendable,
    in range: ClosedRange<Int> = 1...31_536_000, _ help: String
  ) -> Setting {
    let key = ProfileKey(
      name, .integer, range: range, default: JSONValue(Target.defaults[keyPath: path] / 1_000), help: help)
    return Setting(key: key) { reader, target in
      if let seconds = reader.integer(key) { target[keyPath: path] = Int64(seconds) * 1_000 }
    } value: { target in
      JSONValue(target[keyPath: path] / 1_000)
    }
  }

  /// A text, or one of some words, that need not be set.
  static func text(
    _ key: ProfileKey, _ path: any WritableKeyPath<Target, String?> & Sendable
  ) -> Setting {
    Setting(key: key) { reader, target in
      target[keyPath: path] = reader.text(key)
    } value: { target in
      target[keyPath: path].map { JSONValue($0) }
    }
  }

  /// A text that must be set.
  static func requiredText(
    _ name: String, _ path: any WritableKeyPath<Target, String> & Sendable, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    let key = ProfileKey(name, .text, isRequired: true, range: range, help: help)
    return Setting(key: key) { reader, target in
      target[keyPath: path] = reader.text(key) ?? ""
    } value: { target in
      JSONValue(target[keyPath: path])
    }
  }

  /// An object with settings of its own.
  static func object<Part: Configurable>(
    _ name: String, _ path: any WritableKeyPath<Target, Part> & Sendable, _ help: String
  ) -> Setting {
    let key = ProfileKey(name, .object(Part.keys), help: help)
    return Setting(key: key) { reader, target in
      target[keyPath: path] = reader.object(key) { Part.read(&$0) } ?? target[keyPath: path]
    } value: { target in
      JSONValue(members: target[keyPath: path].settingValues)
    }
  }
}

extension ObjectReader {
  /// A declared https URL without a trailing slash; nil when it is absent or wrong.
  mutating func secureURL(_ key: ProfileKey) -> String? {
    let lengths = key.range ?? 0...Int.max
    return read(key.name, isRequired: key.isRequired, expected: "an https URL") { value, reader in
      guard let text = value.text else { return nil }
      guard text.hasPrefix("https://"), lengths.contains(text.count), !text.hasSuffix("/") else {
        reader.refuse(
          key.name, "an https URL of at most \(lengths.upperBound) characters without a slash at its end is needed")
        return nil
      }
      return text
    }
  }
}
