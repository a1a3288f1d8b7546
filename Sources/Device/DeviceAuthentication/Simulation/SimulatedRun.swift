internal import Synchronization

/// The part of a simulated device that ends with its process: the scripted person, the open prompt and the counts for
/// tests.
package final class SimulatedRun: Sendable {
  private struct State {
    var user: SimulatedUser
    var acts: [VerificationMethod: Int] = [:]
    var openPrompt: VerificationMethod?
    var prompts: [VerificationMethod: Int] = [:]
    var lastPrompt: String?
    var keyAccesses = 0
    var keyStoreError: DeviceAuthenticationError?
  }

  private let state: Mutex<State>

  package init(user: SimulatedUser) {
    state = Mutex(State(user: user))
  }

  /// The person. Setting it starts the new script at its first act.
  package var user: SimulatedUser {
    get { state.withLock { $0.user } }
    set {
      state.withLock { state in
        state.user = newValue
        state.acts = [:]
      }
    }
  }

  /// The error of every call of the key store; nil while it works.
  package var keyStoreError: DeviceAuthenticationError? {
    get { state.withLock { $0.keyStoreError } }
    set { state.withLock { $0.keyStoreError = newValue } }
  }

  var keyAccessCount: Int { state.withLock { $0.keyAccesses } }
  var lastPrompt: String? { state.withLock { $0.lastPrompt } }
  var openPrompt: VerificationMethod? { state.withLock { $0.openPrompt } }

  func promptCount(_ method: VerificationMethod) -> Int { state.withLock { $0.prompts[method, default: 0] } }

  func countKeyAccess() { state.withLock { $0.keyAccesses += 1 } }

  /// Opens a prompt. Returns the position of its act in the script.
  func open(_ method: VerificationMethod, _ text: String) throws(DeviceAuthenticationError) -> Int {
    let number = state.withLock { state -> Int? in
      guard state.openPrompt == nil else { return nil }
      state.openPrompt = method
      state.prompts[method, default: 0] += 1
      state.lastPrompt = text
      defer { state.acts[method, default: 0] += 1 }
      return state.acts[method, default: 0]
    }
    guard let number else { throw .busy("another prompt is open on this device") }
    return number
  }

  func close() { state.withLock { $0.openPrompt = nil } }
}
