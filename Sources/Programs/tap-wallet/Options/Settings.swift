import Foundation
import JSON

/// What the first use of a folder stores: server, authorities and device.
struct Settings: Equatable {
  var server: String?
  var ca: String?
  var device: String?

  private static let version = 1

  /// Reads the settings of a folder and fills in what they lack from options, which are stored then. An option that
  /// differs from the settings holds for this run only.
  static func taking(_ options: StateOptions) throws(CommandFailure) -> Settings {
    let path = options.state + "/settings.json"
    let ca = options.ca.map { URL(filePath: $0).standardizedFileURL.path }
    var settings = try FileManager.default.fileExists(atPath: path) ? Settings(path: path) : Settings()
    let stored = settings
    settings.server = settings.server ?? options.server
    settings.ca = settings.ca ?? ca
    settings.device = settings.device ?? options.device
    if settings != stored { try Files.write(settings.json.pretty + "\n", to: path) }
    return Settings(
      server: options.server ?? settings.server, ca: ca ?? settings.ca, device: options.device ?? settings.device)
  }

  private init(server: String? = nil, ca: String? = nil, device: String? = nil) {
    (self.server, self.ca, self.device) = (server, ca, device)
  }

  private init(path: String) throws(CommandFailure) {
    let octets = try Files.read(path)
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw CommandFailure("Settings", "\(path): \(error)") }
    var reader = ObjectReader(value)
    _ = reader.integer("version", in: Self.version...Self.version)
    self.init(
      server: reader.optionalText("server", characters: 1...1_024), ca: reader.optionalText("ca"),
      device: reader.optionalText("device"))
    if let problem = reader.finish().first { throw CommandFailure("Settings", "\(path): \(problem)") }
  }

  private var json: JSONValue {
    JSONValue(members: [
      ("version", JSONValue(Self.version)), ("server", server.map { JSONValue($0) }), ("ca", ca.map { JSONValue($0) }),
      ("device", device.map { JSONValue($0) }),
    ])
  }
}
