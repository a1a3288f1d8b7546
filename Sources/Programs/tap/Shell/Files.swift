import EMVCard
import EMVTerminal
import Foundation

/// A file that could not be read, with the reason.
struct FileError: Error, CustomStringConvertible {
  let description: String
}

enum Files {
  /// No input of the program is larger than this: 64 MiB.
  static let maximumCount = 67_108_864

  /// The whole content of a file, within the limit.
  static func read(_ path: String) throws -> [UInt8] {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let count = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard count <= maximumCount else {
        throw FileError(description: "\(path) has \(count) octets: the limit is \(maximumCount)")
      }
      return try [UInt8](Data(contentsOf: URL(filePath: path)))
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(description: "\(path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// A card from a profile.
  static func card(_ path: String) throws -> CardImage {
    let octets = try read(path)
    do {
      return try CardImage(json: octets)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }
}
