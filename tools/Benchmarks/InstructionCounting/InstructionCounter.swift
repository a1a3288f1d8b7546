import CInstructionCounter
import Foundation

/// Counts the instructions from its creation to `dump`, under callgrind. Its name is a C string beforehand, so that the
/// count has none of the instructions that make one.
public final class InstructionCounter {
  private let name: UnsafeMutablePointer<CChar>?

  /// Starts to count.
  public init(_ name: String) {
    self.name = strdup(name)
    instruction_counter_reset()
  }

  deinit { free(name) }

  /// Writes the count.
  public func dump() { instruction_counter_dump(name) }
}
