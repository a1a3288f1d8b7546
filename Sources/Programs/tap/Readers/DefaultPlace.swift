import ArgumentParser
import Foundation

/// The reader and the link that environment variables name, for commands whose option was left out.
enum DefaultPlace {
  /// The variable of the reader. The tests of the project that need hardware read the same one.
  static let readerVariable = "CONTACTLESS_READER"
  /// The variable of the link of `tap present`.
  static let linkVariable = "CONTACTLESS_LINK"

  /// The default of an option, for its help.
  static func help(_ variable: String) -> String { "that of \(variable) when left out" }

  /// The value of the option, or else that of the variable; an empty one counts as not set.
  ///
  /// - Returns: Nil when neither is there.
  /// - Throws: `ValidationError` that names the variable, its value and the remedy.
  static func value<Place: ExpressibleByArgument>(
    _ given: Place?, else variable: String, for option: String
  ) throws -> Place? {
    if let given { return given }
    guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return nil }
    if let place = Place(argument: text) { return place }
    let forms = Place.allValueStrings.joined(separator: ", ")
    throw ValidationError(
      "The environment variable \(variable) is '\(text)', but must be one of \(forms): correct it, unset it, or use \(option)."
    )
  }

  /// As `value`, for an option that a command cannot do without.
  ///
  /// - Throws: `ValidationError` also when neither is there.
  static func needed<Place: ExpressibleByArgument>(
    _ given: Place?, else variable: String, for option: String
  ) throws -> Place {
    if let place = try value(given, else: variable, for: option) { return place }
    throw ValidationError("\(option) is needed, or the environment variable \(variable).")
  }
}
