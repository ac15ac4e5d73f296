// Package api has the shapes of the generate API, with the checks of each, and
// the two that stand between the service and its backends: a Prompt is a request
// that has passed every check, a Piece is a part of its answer.
//
// Requests may spell members in camelCase or snake_case, and enumerations as
// words or numbers; CamelNames and Words take both. Whatever is wrong with a
// request is an *Error that names the field.
package api
