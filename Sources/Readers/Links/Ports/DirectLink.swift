/// A link whose terminal runs inside `serve`, for one tap, and waits for nothing but the card's responses. Its card needs
/// no thread of its own: a task can serve it.
package protocol DirectLink: EmulationLink {}
