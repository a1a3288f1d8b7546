public import Foundation

/// The files that tests and tools share: shipped cards and terminals, recordings, vectors, crashers.
///
/// Each folder has a README that names the origin of every file in it.
public enum Fixtures {
  /// The location of a fixture.
  ///
  /// - Parameter path: The path below `Fixtures/`, such as `Cards/visa-cvn18.json`.
  public static func url(_ path: String) -> URL {
    Bundle.module.bundleURL.appending(path: path)
  }

  /// The whole content of a fixture.
  ///
  /// - Throws: The file system's error when the fixture does not exist.
  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: url(path))
  }

  /// The file names in a fixture folder with the given ending, sorted.
  public static func names(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      .filter { $0.hasSuffix(ending) }
      .sorted()
  }
}
